//! What must not compile.

#[test]
fn private_values_and_tiers_are_kept_by_the_compiler() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
