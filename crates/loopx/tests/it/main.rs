//! What holds of the program as a whole.

#[cfg(test)]
mod architecture;
#[cfg(test)]
mod made;
#[cfg(test)]
mod person;
#[cfg(test)]
mod verbs_agent;
#[cfg(test)]
mod verbs_config;
#[cfg(test)]
mod verbs_goal;
#[cfg(test)]
mod verbs_log;
#[cfg(test)]
mod verbs_pages;
#[cfg(test)]
mod verbs_quota;
#[cfg(test)]
mod verbs_uninstall;
#[cfg(test)]
mod world;
