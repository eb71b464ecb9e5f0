//! Files that the runtime packed with Zstandard once they were cold.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;

/// Whether a file's name says that it is packed.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// The unpacked bytes of a file, as a stream.
pub fn unpacked(file: &File) -> io::Result<impl Read + use<'_>> {
    StreamingDecoder::new(io::BufReader::new(file))
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}
