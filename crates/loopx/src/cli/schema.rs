//! `loopx schema`: the JSON Schemas of what is exchanged.

use loopx_contract::schema;

use crate::cli::Context;
use crate::error::CliError;

/// Print the JSON Schema of a document that is exchanged.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Of which one.
    #[arg(value_enum, value_name = "DOCUMENT", default_value_t = Document::Projection)]
    document: Document,
}

/// A document that is exchanged.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Document {
    /// What `loopx project` prints.
    Projection,
    /// What an adapter reports of a session.
    SessionFacts,
    /// What a worker of yours says on a line to `loopx ingest`.
    WorkerFacts,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let schema = match args.document {
        Document::Projection => schema::projection(),
        Document::SessionFacts => schema::session_facts(),
        Document::WorkerFacts => schema::worker_facts(),
    };
    context.ui.json(&schema)?;
    Ok(0)
}
