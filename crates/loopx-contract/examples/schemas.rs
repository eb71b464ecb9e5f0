//! Writes the JSON Schemas into the folder `schemas` of the workspace: `cargo run -p loopx-contract --example schemas`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    std::fs::create_dir_all(&folder)?;
    for (name, text) in loopx_contract::schema::files() {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
