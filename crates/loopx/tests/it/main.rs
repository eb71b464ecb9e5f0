//! What holds of the program as a whole.

#[cfg(test)]
mod architecture;
#[cfg(test)]
mod made;
#[cfg(test)]
mod verbs_check;
#[cfg(test)]
mod verbs_sessions;
#[cfg(test)]
mod world;
