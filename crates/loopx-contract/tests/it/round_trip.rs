//! The types are the contract's shape, field for field and in its order.

use loopx_contract::Projection;
use loopx_safety::Showcase;

use crate::cases::CONTRACT;

#[test]
fn the_contracts_json_round_trips_byte_for_byte() {
    let local: Projection = serde_json::from_str(CONTRACT).unwrap();
    let showcase: Projection<Showcase> = serde_json::from_str(CONTRACT).unwrap();
    assert_eq!(serde_json::to_string_pretty(&local).unwrap() + "\n", CONTRACT);
    assert_eq!(serde_json::to_string_pretty(&showcase).unwrap() + "\n", CONTRACT);
}
