//! Tokens that their issuer marks with a prefix or a fixed shape.
//!
//! A rule is added here as one pattern, with the least length of a real token, so that prose about the prefix passes.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::gate;
use super::super::pattern::compile;
use super::super::wordlist::{Case, WordList};

/// After a letter or digit none of these begins; after `_` or `-` it may, as a slug is made so.
const PATTERNS: &[&str] = &[
    // Code hosts and package registries.
    r"gh[oprsu]_[A-Za-z0-9]{16,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_=.-]{16,}",
    r"GR1348941[A-Za-z0-9_-]{16,}",
    r"npm_[A-Za-z0-9]{20,}",
    r"pypi-[A-Za-z0-9_-]{20,}",
    r"rubygems_[a-f0-9]{20,}",
    r"cio[A-Za-z0-9]{32}",
    r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}",
    r"ATBB[A-Za-z0-9]{24,}|ATATT3[A-Za-z0-9_=-]{20,}|ATCTT3[A-Za-z0-9_=-]{20,}",
    r"oy2[a-z0-9]{43}",
    r"CCIPAT_[A-Za-z0-9_]{20,}|bkua_[a-z0-9]{32,}|bkpt_[a-z0-9]{32,}",
    // Models.
    r"sk-(?:ant-|proj-|svcacct-|admin-|or-v1-|lf-)[A-Za-z0-9_-]{16,}",
    r"sk-[A-Za-z0-9]{20,}",
    r"AIza[A-Za-z0-9_-]{30,}",
    r"hf_[A-Za-z]{20,}|hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z]{30,}",
    r"gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9_-]{30,}|pplx-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|nvapi-[A-Za-z0-9_-]{30,}",
    r"tgp_v1_[A-Za-z0-9_-]{30,}|fw_[A-Za-z0-9]{22,}|jina_[A-Za-z0-9]{40,}|pa-[A-Za-z0-9_-]{40,}",
    // Clouds.
    r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|APKA)[A-Z0-9]{16}",
    r"ABSK[A-Za-z0-9+/]{40,}|bedrock-api-key-[A-Za-z0-9+/=]{10,}",
    r"LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{28,}|AKLT[A-Za-z0-9_=-]{20,}",
    r"do[opr]_v1_[a-f0-9]{32,}",
    r"ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{20,}",
    r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}",
    r"fo1_[A-Za-z0-9_-]{32,}|fm[12]r?_[A-Za-z0-9+/=_-]{40,}",
    r"HRKU-[A-Za-z0-9_-]{30,}|rnd_[A-Za-z0-9]{24,}|vercel_[A-Za-z0-9]{20,}|nf[pcoub]_[A-Za-z0-9_]{32,}",
    r"v1\.0-[a-f0-9]{24}-[a-f0-9]{32,}|cf(?:ut|at|k)_[A-Za-z0-9]{32,}",
    r"dapi[a-f0-9]{32}|dose[a-f0-9]{32}|pul-[a-f0-9]{40}|sbp_[a-f0-9]{40}|sb_(?:secret|publishable)_[A-Za-z0-9_-]{20,}",
    r"hv[sbr]\.[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}|[sb]\.[A-Za-z0-9]{24}\b",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}|ops_eyJ[A-Za-z0-9+/]{20,}|A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}",
    r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{24,}|PMAK-[a-f0-9]{20,}-[a-f0-9]{20,}|PMAT-[A-Z0-9]{20,}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{20,}|tskey-[a-z]+-[A-Za-z0-9-]{12,}|wandb_v1_[A-Za-z0-9_]{20,}",
    // Chat, mail, work.
    r"xox[abeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{16,}|xwfp-[A-Za-z0-9-]{16,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|key-[a-f0-9]{32}|xkeysib-[a-f0-9]{32,}|xsmtpsib-[a-f0-9]{32,}",
    r"[a-f0-9]{32}-us[0-9]{1,2}\b|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|pubkey-[a-f0-9]{32}",
    r"[0-9]{8,10}:A[A-Za-z0-9_-]{34}|[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}|figd_[A-Za-z0-9_-]{32,}|secret_[A-Za-z0-9]{40,}|ntn_[A-Za-z0-9]{40,}",
    r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|pat-(?:na|eu)[0-9]-[a-f0-9-]{30,}|phc_[A-Za-z0-9]{32,}|ph[xs]_[A-Za-z0-9]{32,}",
    r"EAA[A-Za-z0-9]{60,}|AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}|A{20,}[A-Za-z0-9%]{40,}",
    // Money and shops.
    r"(?:sk|rk|pk|whsec|sk_org)_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,}",
    r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{50,}|shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{24,}",
    r"access_token\$production\$[a-z0-9]{10,}\$[a-f0-9]{32}|FLW(?:PUBK|SECK)_(?:TEST|LIVE)-[a-zA-Z0-9-]{12,}",
    r"rzp_(?:live|test)_[A-Za-z0-9]{14,}|EZ[AT]K[A-Za-z0-9]{40,}|shippo_(?:live|test)_[a-fA-F0-9]{32,}",
    r"duffel_(?:live|test)_[A-Za-z0-9_=-]{30,}|live_[A-Za-z0-9]{30,}|test_[a-f0-9]{35,}|sk_[A-Za-z0-9]{40,}",
    // Watching.
    r"NR(?:AK|JS|II|IQ|RA|BR|AL)-[A-Za-z0-9_-]{19,}|gl(?:c|sa)_[A-Za-z0-9_=+/]{30,}|eyJrIjoi[A-Za-z0-9]{60,}",
    r"sntry[su]_[A-Za-z0-9+/=_-]{32,}|dt0[cs][0-9]{2}\.[A-Z0-9]{20,}\.[A-Z0-9]{50,}|sgp_[A-Za-z0-9_]{40,}|slk_[a-f0-9]{60,}",
    r"(?:sdk|mob|api)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}",
    r"snyk_[a-z]{3}\.[A-Za-z0-9_.-]{30,}|squ_[a-f0-9]{40}|sqp_[a-f0-9]{40}|sqa_[a-f0-9]{40}|CLOJARS_[A-Za-z0-9]{50,}",
    r"dnkey-[A-Z0-9-]{30,}|wx[a-f0-9]{16}|sm_aat_[a-z0-9]{12,}|VF\.[A-Z]{2}\.[a-f0-9]{20,}|pk_[0-9]{6,}_[A-Z0-9]{20,}",
    r"tfp_[A-Za-z0-9]{40,}|p8e-[A-Za-z0-9]{32,}|jfrog_[A-Za-z0-9]{30,}|AKC[A-Za-z0-9]{10,}|[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk|cmVmdGtu[A-Za-z0-9]{50,}",
    r"ptk?_[A-Za-z0-9]{40,}|SK[0-9a-f]{32}|AC[0-9a-f]{32}|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}|eyJ[A-Za-z0-9_=/+-]{30,}",
];

/// What is told by more than a prefix.
const SHAPES: &[&str] = &[
    r"\$[0-9a-z]{1,8}\$[^\s$]{2,}\$[A-Za-z0-9./+$=]{20,}",
    r"(?i:\b(?:password|identified(?: with \w+)? by|with password)\s+)['\x22][^\s'\x22]{6,}['\x22]",
    r"(?i:\bpassword\b[^.;]{0,40}\bis\s+)['\x22][^\s'\x22]{4,}['\x22]",
    r"(?i:\bconvertto-securestring\s+(?:-\w+\s+)*)[^\s-]\S{5,}",
    r"(?i)<(?:pass|password|secret|token|key)>[^<\s]{6,}<",
    r"\barn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:[0-9]{12}",
    r"-----BEGIN[ A-Z0-9_-]{0,100}",
    r"(?i:\bbearer\s+)[A-Za-z0-9_.~+/=-]*[0-9._~+/=-][A-Za-z0-9_.~+/=-]{5,}",
    r"(?i:\bbasic\s+)[A-Za-z0-9+/]{16,}={0,2}",
    r"(?i:\bauthorization:\s*[a-z]+\s+)\S{8,}",
];

pub(in crate::screen) static PROVIDERS: LazyLock<Regex> =
    LazyLock::new(|| compile(&format!("(?:^|[^A-Za-z0-9])(?:{})|{}", PATTERNS.join("|"), SHAPES.join("|"))));

/// What the patterns begin with, in their order. Left out are those that a long run alone gives away: see
/// [`may_be_issued`].
const BEGINNINGS: &[&str] = &[
    "gho_",
    "ghp_",
    "ghr_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "glptt-",
    "gldt-",
    "glrt-",
    "glcbt-",
    "glft-",
    "glimt-",
    "glagent-",
    "gloas-",
    "glsoat-",
    "glffct-",
    "GR1348941",
    "npm_",
    "pypi-",
    "rubygems_",
    "dckr_",
    "ATBB",
    "ATATT3",
    "ATCTT3",
    "CCIPAT_",
    "bkua_",
    "bkpt_",
    "sk-",
    "AIza",
    "hf_",
    "api_org_",
    "gsk_",
    "xai-",
    "pplx-",
    "r8_",
    "nvapi-",
    "tgp_v1_",
    "fw_",
    "jina_",
    "pa-",
    "A3T",
    "AKIA",
    "ASIA",
    "ABIA",
    "ACCA",
    "AGPA",
    "AIDA",
    "AROA",
    "AIPA",
    "ANPA",
    "ANVA",
    "APKA",
    "ABSK",
    "bedrock-api-key-",
    "LTAI",
    "AKID",
    "AKLT",
    "ya29.",
    "GOCSPX-",
    "1//0",
    "Q~",
    "fo1_",
    "fm1_",
    "fm1r_",
    "fm2_",
    "fm2r_",
    "HRKU-",
    "rnd_",
    "vercel_",
    "nfp_",
    "nfc_",
    "nfo_",
    "nfu_",
    "nfb_",
    "v1.0-",
    "cfut_",
    "cfat_",
    "cfk_",
    "sb_",
    "hvs.",
    "hvb.",
    "hvr.",
    ".atlasv1.",
    "dp.",
    "ops_eyJ",
    "A3-",
    "pscale_",
    "PMAK-",
    "PMAT-",
    "AGE-SECRET-KEY-1",
    "tskey-",
    "wandb_v1_",
    "xox",
    "xapp-",
    "xwfp-",
    "SG.",
    "-us",
    "re_",
    ":A",
    "lin_",
    "figd_",
    "secret_",
    "ntn_",
    "pat-",
    "phc_",
    "phx_",
    "phs_",
    "EAA",
    "AAAA",
    "sk_",
    "rk_",
    "pk_",
    "whsec_",
    "sq0",
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "shptka_",
    "access_token$",
    "FLW",
    "rzp_",
    "EZAK",
    "EZTK",
    "shippo_",
    "duffel_",
    "NRAK-",
    "NRJS-",
    "NRII-",
    "NRIQ-",
    "NRRA-",
    "NRBR-",
    "NRAL-",
    "glc_",
    "glsa_",
    "eyJ",
    "sntrys_",
    "sntryu_",
    "dt0",
    "sgp_",
    "snyk_",
    "CLOJARS_",
    "dnkey-",
    "wx",
    "sm_aat_",
    "VF.",
    "tfp_",
    "p8e-",
    "jfrog_",
    "AKC",
    "_mmk",
    "cmVmdGtu",
    "pt_",
    "ptk_",
    "arn:aws",
    "-----BEGIN",
    "<",
];

static BEGINS: WordList = WordList::new(Case::Exact, BEGINNINGS);

/// Whether a text holds what some pattern begins with, or a run so long that it needs no beginning.
pub(in crate::screen) fn may_be_issued(text: &str) -> bool {
    gate::long_runs(text) || gate::spoken(text) || BEGINS.is_in(text)
}

/// The first token with a known shape.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    if !may_be_issued(text) {
        return None;
    }
    PROVIDERS.find(text).map(|found| {
        let skip = found
            .as_str()
            .chars()
            .next()
            .filter(|c| !c.is_alphanumeric() && *c != '-')
            .map_or(0, char::len_utf8);
        found.start() + skip..found.end()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test tokens are put together here, so that the repository holds none.
    fn body(len: usize) -> String {
        "a1B2c3D4e5F6g7H8".chars().cycle().take(len).collect()
    }

    #[test]
    fn tokens_are_found() {
        let upper = body(16).to_uppercase();
        let hex = "0a1b2c3d".repeat(8);
        for (prefix, rest) in [
            ("gh", format!("p_{}", body(36))),
            ("github", format!("_pat_{}", body(40))),
            ("sk", format!("-{}", body(40))),
            ("sk", format!("-ant-api03-{}", body(40))),
            ("AK", format!("IA{upper}")),
            ("AS", format!("IA{upper}")),
            ("xo", format!("xb-{}", body(24))),
            ("AI", format!("za{}", body(35))),
            ("gl", format!("pat-{}", body(20))),
            ("np", format!("m_{}", body(36))),
            ("py", format!("pi-{}", body(60))),
            ("hf", format!("_{}", body(34))),
            ("ey", format!("J{}.eyJ{}.{}", body(20), body(20), body(20))),
            ("do", format!("p_v1_{hex}")),
            ("S", format!("G.{}.{}", body(22), body(43))),
            ("sk", format!("_live_{}", body(24))),
            ("rk", format!("_live_{}", body(24))),
            ("shp", format!("at_{}", &hex[..32])),
            ("-----", "BEGIN PRIVATE KEY-----".to_owned()),
            ("Bear", format!("er {}", body(20))),
        ] {
            let token = format!("{prefix}{rest}");
            for text in [token.clone(), format!("see {token} now"), format!("sess_{token}")] {
                if text.starts_with("sess_Bear") {
                    continue;
                }
                assert!(find(&text).is_some(), "{prefix}");
            }
        }
    }

    #[test]
    fn prose_about_prefixes_passes() {
        for text in [
            "sk- prefix",
            "ghp_ tokens",
            "HTTP Bearer Token",
            "bearer authentication",
            "AKIA keys",
            "npm_config_cache",
            "basic auth",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
