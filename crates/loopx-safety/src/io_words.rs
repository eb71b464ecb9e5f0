//! What the operating system said when it refused something, in plain words. They name no file: who shows them does.

use std::io::ErrorKind;

/// Why the system refused, as a fragment that completes "failed to read x: …".
#[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate, open to new variants")]
pub const fn io_words(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "no such file or folder",
        ErrorKind::PermissionDenied => "you have no permission for it",
        ErrorKind::AlreadyExists => "something of that name is there already",
        ErrorKind::NotADirectory => "a part of its path is no folder",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::DirectoryNotEmpty => "the folder is not empty",
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only",
        ErrorKind::StorageFull => "the disk is full",
        ErrorKind::QuotaExceeded => "your share of the disk is full",
        ErrorKind::FileTooLarge => "it is too large",
        ErrorKind::InvalidFilename => "its name is one that the disk does not take",
        ErrorKind::InvalidInput => "it is no ordinary file, or can't be used in this way",
        ErrorKind::InvalidData => "its content is not what it should be",
        ErrorKind::UnexpectedEof => "it ends too early",
        ErrorKind::ResourceBusy | ErrorKind::WouldBlock => "something else is using it",
        ErrorKind::ExecutableFileBusy => "the program is being written at this moment",
        ErrorKind::TooManyLinks => "too many links lead to it",
        ErrorKind::CrossesDevices => "the two places lie on different disks",
        ErrorKind::StaleNetworkFileHandle => "the network disk lost it",
        ErrorKind::NotSeekable => "it can be read from its beginning only",
        ErrorKind::ArgumentListTooLong => "too many words were given to the program",
        ErrorKind::BrokenPipe => "nobody reads it any more",
        ErrorKind::WriteZero => "not all of it could be written",
        ErrorKind::Interrupted => "it was interrupted",
        ErrorKind::TimedOut => "it took too long",
        ErrorKind::OutOfMemory => "there is not enough memory",
        ErrorKind::Unsupported => "the system or the disk can't do this",
        ErrorKind::Deadlock => "two programs wait for each other",
        ErrorKind::ConnectionRefused
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::NotConnected
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable
        | ErrorKind::NetworkDown => "there is no connection",
        ErrorKind::AddrInUse => "another program has that address",
        ErrorKind::AddrNotAvailable => "there is no such address on this machine",
        ErrorKind::Other => "it could not be done",
        _ => "the system could not do it: the disk or the device may be failing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_words_of_the_system_are_shown() {
        use std::io::Error;
        // ENOENT, EIO, EACCES, EEXIST, ENOTDIR, EISDIR, EMFILE, EFBIG, ENOSPC, EROFS, ENAMETOOLONG, ELOOP, EDQUOT.
        for code in [2, 5, 13, 17, 20, 21, 24, 27, 28, 30, 36, 40, 122] {
            let kind = Error::from_raw_os_error(code).kind();
            let words = io_words(kind);
            assert_ne!(words, kind.to_string(), "{code}");
            assert!(!words.contains("os error") && !words.contains("entity"), "{code}: {words}");
        }
        assert_eq!(io_words(ErrorKind::NotFound), "no such file or folder");
        assert_eq!(io_words(ErrorKind::StorageFull), "the disk is full");
    }
}
