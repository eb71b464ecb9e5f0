//! What holds of the program as a whole.

#[cfg(test)]
mod architecture;
#[cfg(test)]
mod canary;
#[cfg(test)]
mod clock_jumps;
#[cfg(test)]
mod contract_example;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod looking;
#[cfg(test)]
mod made;
#[cfg(test)]
mod panics;
#[cfg(test)]
mod person;
#[cfg(test)]
mod private_words;
#[cfg(test)]
mod proofs;
#[cfg(test)]
mod purging;
#[cfg(test)]
mod screening;
#[cfg(test)]
mod scripts;
#[cfg(test)]
mod serving;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod started;
#[cfg(test)]
mod verbs_agent;
#[cfg(test)]
mod verbs_authority;
#[cfg(test)]
mod verbs_check;
#[cfg(test)]
mod verbs_check_allow;
#[cfg(test)]
mod verbs_check_long;
#[cfg(test)]
mod verbs_check_sarif;
#[cfg(test)]
mod verbs_check_text;
#[cfg(test)]
mod verbs_config;
#[cfg(test)]
mod verbs_doctor;
#[cfg(test)]
mod verbs_exchange;
#[cfg(test)]
mod verbs_follow;
#[cfg(test)]
mod verbs_gate;
#[cfg(test)]
mod verbs_goal;
#[cfg(test)]
mod verbs_hook;
#[cfg(test)]
mod verbs_hooks;
#[cfg(test)]
mod verbs_hooks_twice;
#[cfg(test)]
mod verbs_hooks_version;
#[cfg(test)]
mod verbs_ingest;
#[cfg(test)]
mod verbs_init;
#[cfg(test)]
mod verbs_limits;
#[cfg(test)]
mod verbs_log;
mod verbs_next;
#[cfg(test)]
mod verbs_notify;
#[cfg(test)]
mod verbs_pages;
#[cfg(test)]
mod verbs_quota;
#[cfg(test)]
mod verbs_run;
#[cfg(test)]
mod verbs_sessions;
#[cfg(test)]
mod verbs_statusline;
#[cfg(test)]
mod verbs_todo;
#[cfg(test)]
mod verbs_top;
mod verbs_top_acts;
#[cfg(test)]
mod verbs_uninstall;
#[cfg(test)]
mod verbs_watch;
#[cfg(test)]
mod web;
#[cfg(test)]
mod web_api;
#[cfg(test)]
mod web_attacks;
#[cfg(test)]
mod web_charts;
#[cfg(test)]
mod web_faults;
#[cfg(test)]
mod web_limits;
mod web_pairing;
#[cfg(test)]
mod web_states;
#[cfg(test)]
mod web_tls;
#[cfg(test)]
mod web_tokens;
#[cfg(test)]
mod world;
