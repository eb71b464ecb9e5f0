//! Files that the runtime packed with Zstandard once they were cold.

use std::io::{self, Read};
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;

/// Whether a file's name says that it is packed.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// The unpacked bytes of a packed file, as a stream.
pub fn unpacked<R: Read>(packed: R) -> io::Result<impl Read + use<R>> {
    StreamingDecoder::new(io::BufReader::new(packed))
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}
