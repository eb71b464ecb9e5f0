//! What holds of the program as a whole.

#[cfg(test)]
mod architecture;
#[cfg(test)]
mod made;
#[cfg(test)]
mod verbs_check;
#[cfg(test)]
mod verbs_doctor;
#[cfg(test)]
mod verbs_exchange;
#[cfg(test)]
mod verbs_init;
#[cfg(test)]
mod verbs_sessions;
#[cfg(test)]
mod world;
