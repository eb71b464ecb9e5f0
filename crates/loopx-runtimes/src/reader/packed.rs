//! Files that the runtime packed with Zstandard once they were cold.

use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// The length of the head of a frame that is to be passed over, in bytes.
const HEAD: usize = 8;

/// Whether a file's name says that it is packed.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// The unpacked bytes of a packed file, as a stream: of all its frames, one behind the other.
pub fn unpacked<R: Read>(packed: R) -> io::Result<impl Read + use<R>> {
    Ok(Unpacked { frame: frame(BufReader::new(packed))? })
}

type Frame<R> = StreamingDecoder<BufReader<R>, FrameDecoder>;

struct Unpacked<R: Read> {
    frame: Option<Frame<R>>,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame {
            let read = frame.read(bytes)?;
            if read > 0 || bytes.is_empty() {
                return Ok(read);
            }
            self.frame =
                self.frame.take().map(StreamingDecoder::into_inner).map(self::frame).transpose()?.flatten();
        }
        Ok(0)
    }
}

/// The frame that begins here, behind those that hold nothing; `None` at the end.
fn frame<R: Read>(mut packed: BufReader<R>) -> io::Result<Option<Frame<R>>> {
    while let Some(length) = passed_over(packed.fill_buf()?) {
        packed.consume(HEAD);
        io::copy(&mut packed.by_ref().take(length), &mut io::sink())?;
    }
    if packed.fill_buf()?.is_empty() {
        return Ok(None);
    }
    StreamingDecoder::new(packed)
        .map(Some)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

/// How long a frame is that is to be passed over, behind its head.
fn passed_over(bytes: &[u8]) -> Option<u64> {
    let (magic, rest) = bytes.split_first_chunk()?;
    let is_passed_over = u32::from_le_bytes(*magic) & !0xF == 0x184D_2A50;
    is_passed_over.then(|| rest.first_chunk().map(|length| u32::from_le_bytes(*length).into()))?
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    #[test]
    fn what_stands_behind_the_first_frame_is_read() {
        let pack = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
        let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0...";
        let packed = [skipped, &pack("one\n")[..], &pack(""), skipped, &pack("two\n"), skipped].concat();
        let mut text = String::new();
        unpacked(&packed[..]).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
        let torn = [&pack("one\n")[..], b"no frame"].concat();
        assert!(unpacked(&torn[..]).unwrap().read_to_string(&mut text).is_err(), "it is not whole");
    }
}
