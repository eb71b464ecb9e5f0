//! Writes what the API is, as `OpenAPI`, into `docs/reference` of the workspace: `cargo run -p loopx --example openapi`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    let document = loopx::web::openapi().map_err(std::io::Error::other)?;
    std::fs::write(file, document)
}
