//! Vendors whose keys bear no mark: each is told by the vendor's name beside it.
//!
//! Left out are those whose name is a word of everyday prose.

/// The length of the shortest name.
const SHORTEST: usize = 4;

/// How long the name is that a text begins with, in any case.
///
/// No table is made for this: texts that may hold a key are many.
pub(super) fn name_len(text: &[u8]) -> Option<usize> {
    let head: [u8; SHORTEST] = text.first_chunk::<SHORTEST>()?.map(|byte| byte.to_ascii_lowercase());
    if !HEADS[place(head)] {
        return None;
    }
    let first = VENDORS.partition_point(|name| name.as_bytes() < head.as_slice());
    let alike = VENDORS.get(first..)?.iter().take_while(|name| name.as_bytes().starts_with(&head));
    let is_there =
        |name: &&&str| text.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes()));
    alike.filter(is_there).map(|name| name.len()).max()
}

/// How many bits of the first bytes of a name are kept.
const BITS: u32 = 13;

/// What the first bytes of some name come to: few words begin like one.
static HEADS: [bool; 1 << BITS] = {
    let mut heads = [false; 1 << BITS];
    let mut at = 0;
    while at < VENDORS.len() {
        if let Some(head) = VENDORS[at].as_bytes().first_chunk() {
            heads[place(*head)] = true;
        }
        at += 1;
    }
    heads
};

/// What the first bytes of a name come to.
const fn place(head: [u8; SHORTEST]) -> usize {
    (u32::from_be_bytes(head).wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS)) as usize
}

/// Their names, sorted, as they stand in a setting, in small letters.
#[rustfmt::skip]
pub(super) const VENDORS: &[&str] = &[
    "abbysale", "abstractapi", "abuseipdb", "accuweather", "activecampaign", "adafruit", "addsearch", "adzuna",
    "aeroworkflow", "agora", "ahrefs", "airbrake", "airvisual", "aiven", "alegra", "aletheiaapi", "algolia",
    "alienvault", "allsports", "alphavantage", "ambee", "amplitude", "anypoint", "apacta", "api2cart",
    "apideck", "apiflash", "apifonica", "apigee", "apilayer", "apimatic", "apimetrics", "apitemplate",
    "appcues", "appdynamics", "appfollow", "appointedd", "appoptics", "appsflyer", "appsynergy", "apptivo",
    "appveyor", "arize", "artifactory", "artsy", "asana", "audd", "authy", "autodesk", "autoklose", "avaza",
    "aviationstack", "axonaut", "aylien", "ayrshare", "backblaze", "baremetrics", "basecamp", "bazaarvoice",
    "beebole", "besnappy", "besttime", "betterstack", "bigcommerce", "bigdatacloud", "bigpanda", "billomat",
    "binance", "binaryedge", "bitbar", "bitbucket", "bitcoinaverage", "bitfinex", "bitly", "bitmex", "bitrise",
    "blablabus", "blazemeter", "blitapp", "blockchair", "blockcypher", "blocknative", "blogger", "bluesnap",
    "bombbomb", "boostnote", "borgbase", "braintree", "branchio", "brandfetch", "braze", "brightdata",
    "browserstack", "browshot", "bscscan", "buddyns", "budibase", "bugcrowd", "bugherd", "bugsnag",
    "buildbuddy", "bulbul", "bulksms", "buttercms", "bybit", "caflou", "calendarific", "callrail",
    "calorieninja", "campaignmonitor", "campayn", "cannyio", "capsulecrm", "captaindata", "carboninterface",
    "cashboard", "cashfree", "caspio", "censys", "centralstationcrm", "cexio", "chainstack", "chargebee",
    "chargify", "chartmogul", "chatfuel", "checklyhq", "checkmarx", "checkvist", "circleci", "clarifai",
    "clearbit", "clickhelp", "cliengo", "clientary", "clinchpad", "clockify", "clockworksms", "closecrm",
    "cloudconvert", "cloudelements", "cloudimage", "cloudinary", "cloudmersive", "cloudplan", "cloudsight",
    "cloudsmith", "cloudways", "cloverly", "cludo", "clustdoc", "codacy", "codeclimate", "codecov", "codemagic",
    "codequiry", "codeship", "coinapi", "coingecko", "coinlayer", "coinlib", "coinmarketcap", "coinpayments",
    "collect2", "cometml", "commercejs", "commercetools", "companyhub", "constantcontact", "contentstack",
    "conversiontools", "convertapi", "convertio", "convertkit", "convier", "couchbase", "countrylayer",
    "coveralls", "craftmypdf", "criminalip", "cronitor", "crowdin", "crowdstrike", "cryptocompare",
    "cryptopanic", "currencycloud", "currencyfreaks", "currencylayer", "currencyscoop", "currentsapi",
    "customerguru", "customerio", "d7network", "dandelion", "dareboost", "databox", "datadog", "datagov",
    "debank", "deepai", "deepgram", "deepsource", "deezer", "dehashed", "demio", "detectify", "detectlanguage",
    "deviantart", "dfuse", "diffbot", "diggernaut", "digicert", "disqus", "dnscheck", "dnsimple", "dnsmadeeasy",
    "docparser", "documo", "docusign", "dotdigital", "dotmailer", "dovico", "dronahq", "droneci", "dwolla",
    "dynalist", "dyspatch", "eagleeyenetworks", "easyinsight", "ecostruxureit", "edamam", "edenai",
    "elasticemail", "emailrep", "enablex", "equifax", "etherscan", "ethplorer", "eventbrite", "eventstore",
    "everhour", "exchangerateapi", "exchangeratesapi", "expensify", "experian", "exponea", "exportsdk",
    "extractorapi", "faceplusplus", "factset", "fastforex", "fastly", "feedier", "feedly", "fetchrss", "fibery",
    "filestack", "finage", "financialmodelingprep", "finnhub", "fixerio", "flatio", "flickr", "flightapi",
    "flightlabs", "flightstats", "flowflu", "fmfw", "formbucket", "formcraft", "formio", "formsite",
    "foursquare", "freshbooks", "freshdesk", "freshservice", "freshworks", "fullhunt", "fullstory", "fxmarket",
    "gandi", "geckoboard", "gengo", "geoapify", "geocodexyz", "geocodify", "geocodio", "geoipifi", "geonames",
    "getaddress", "getblock", "getemail", "getemails", "getgeoapi", "getgist", "getresponse", "getsandbox",
    "ghostinspector", "giantbomb", "giphy", "gitea", "gitter", "glassnode", "gocanvas", "godaddy", "gogs",
    "googlemaps", "graphcms", "graphhopper", "gravatar", "greynoise", "groovehq", "groupme", "gtmetrix",
    "guardianapi", "gumroad", "gyazo", "hackerone", "happyscribe", "hellosign", "helpcrunch", "helpscout",
    "helpshift", "hereapi", "heremaps", "hetzner", "hibp", "hipchat", "hiveage", "holidayapi", "honeybadger",
    "hootsuite", "hostinger", "html2pdf", "hunterio", "hypertrack", "hypixel", "iconfinder", "iexapis",
    "iexcloud", "igdb", "imagekit", "imagga", "imgbb", "imgur", "infobip", "infura", "insightly", "instabot",
    "instamojo", "instapaper", "integromat", "intelx", "interseller", "intezer", "intrinio", "invoiceocean",
    "ip2location", "ipapi", "ipapico", "ipdata", "ipgeolocation", "ipinfo", "ipinfodb", "ipquality",
    "ipqualityscore", "ipregistry", "ipstack", "ipwhois", "jenkins", "jotform", "jumpcloud", "jupiterone",
    "kaggle", "kanbantool", "karmacrm", "keenio", "keycdn", "kickbox", "kintone", "klipfolio", "knapsackpro",
    "kontent", "kucoin", "kustomer", "kylas", "languagelayer", "larksuite", "lastfm", "leadfeeder", "leakix",
    "leaklookup", "leanplum", "lemlist", "lendflow", "lessannoyingcrm", "lexigram", "lightstep", "linenotify",
    "linkpreview", "liveagent", "liveperson", "liveramp", "livestorm", "loadmill", "locationiq", "logdna",
    "logentries", "loggly", "logicmonitor", "loginradius", "logzio", "lokalise", "loqate", "loyverse",
    "lunchmoney", "madkudu", "magicbell", "magiceden", "mailboxlayer", "mailerlite", "mailjet", "mailmodo",
    "mailsac", "mailtrap", "malwarebazaar", "mapquest", "marketo", "marketstack", "mashape", "matomo",
    "mavenlink", "maxcdn", "maxmind", "meaningcloud", "mediastack", "meilisearch", "meistertask", "memcachier",
    "mercadolibre", "mercadopago", "mesibo", "messagebird", "metaapi", "metadefender", "meteoblue", "metrilo",
    "mindmeister", "mixcloud", "mixmax", "mixpanel", "mockaroo", "modulr", "mongolab", "monkeylearn",
    "moonclerk", "moonpay", "moosend", "moralis", "mparticle", "mrticktock", "mulesoft", "myintervals",
    "namecheap", "nasdaq", "netatmo", "nethunt", "netlas", "netsuite", "neutrinoapi", "newsapi", "newscatcher",
    "newsdata", "nexmo", "nftport", "nicereply", "nitrado", "noticeable", "nowpayments", "nozbe", "numverify",
    "nutritionix", "nylas", "nytimes", "oanda", "omdbapi", "omise", "omnisend", "onbuka", "onedesk", "onelogin",
    "onepagecrm", "onwaterio", "onyphe", "oopspam", "opencage", "opencagedata", "opencorporates",
    "opendatasoft", "openexchangerates", "openrouteservice", "opensea", "opentok", "openuv", "openweather",
    "openweathermap", "opsgenie", "opswat", "optimizely", "overloop", "ovhcloud", "owlbot", "packagecloud",
    "pagarme", "pandadoc", "pandascore", "paperform", "paralleldots", "pardot", "parsehub", "parseur",
    "partnerstack", "paydirtapp", "paymoapp", "paymongo", "paysafe", "pdflayer", "pdfshift", "peopledatalabs",
    "pepipost", "pexels", "phishtank", "pinata", "pingdom", "pipedream", "pipedrive", "pipefy",
    "pivotaltracker", "pixabay", "placekey", "planviewleankit", "planyo", "plivo", "plytix", "podio",
    "pokemontcg", "pollsapi", "poloniex", "polygonscan", "positionstack", "postageapi", "postcoder", "postgrid",
    "postmark", "powrbot", "prismic", "prodpad", "producthunt", "prospectcrm", "protocolsio", "proxmox",
    "proxycrawl", "pubnub", "pulsedive", "purestake", "pushbullet", "pusher", "pushover", "pushwoosh",
    "qualaroo", "qualys", "quandl", "qubole", "quickbase", "quickbooks", "quicknode", "rackspace", "rapid7",
    "rapidapi", "raygun", "reachmail", "readwise", "reallysimplesystems", "rebrandly", "rebrickable",
    "rechargepayments", "recurly", "redmine", "rentman", "repairshopr", "replyio", "requestfinance", "restpack",
    "revampcrm", "ringcentral", "ritekit", "rocketchat", "rocketreach", "rollbar", "route4me", "rubrik",
    "runrunit", "runscope", "salesblink", "salescookie", "salesflare", "salesmate", "satismeter", "saucelabs",
    "scaledrone", "scalr", "scrapeowl", "scraperapi", "scraperbox", "scrapersite", "scrapestack", "scrapfly",
    "scrapingant", "scrapingbee", "screenshotapi", "screenshotlayer", "scrutinizer", "securitytrails",
    "segmentio", "selectpdf", "semrush", "sendbird", "sendowl", "sendpulse", "sentinelone", "serpapi",
    "serphouse", "serpstack", "serpwow", "shareasale", "sheety", "sherpadesk", "shipday", "shipengine",
    "shipstation", "shodan", "shortio", "shotstack", "shutterstock", "signable", "signalfx", "signalwire",
    "signaturit", "signupgenius", "sigopt", "simfin", "simkl", "simplesat", "simplynoted", "simvoly",
    "sitecore", "siteleaf", "sketchfab", "skrappio", "skybiometry", "skyscanner", "smartlook",
    "smartrecruiters", "smartsheet", "smartystreets", "smooch", "smsapi", "snapchat", "snipcart", "snusbase",
    "socrata", "solarwinds", "sonatype", "soundcloud", "sparkpost", "speechtextai", "splunk", "spoonacular",
    "sportsmonk", "spotify", "spotinst", "spyonweb", "spyse", "squarespace", "stackexchange", "stackpath",
    "statuscake", "statuspage", "statuspal", "steamgriddb", "stitchdata", "stockdata", "storecove",
    "storeganise", "stormboard", "stormglass", "storyblok", "storychief", "strapi", "strava", "streamlabs",
    "stripo", "stytch", "sugester", "sumup", "superfeedr", "supernotes", "surveyanyplace", "surveybot",
    "surveymonkey", "surveysparrow", "survicate", "swiftype", "tallyfy", "tatumio", "taxjar", "teamcity",
    "teamgate", "teamworkcrm", "teamworkdesk", "teamworkspaces", "technicalanalysisapi", "tefter", "tenable",
    "testingbot", "text2data", "textlocal", "textmagic", "theoddsapi", "thinkific", "thousandeyes",
    "ticketmaster", "tickettailor", "tidio", "tiingo", "timecamp", "tmetric", "todoist", "toggltrack", "tokeet",
    "tokenmetrics", "tomorrowio", "tomtom", "traccar", "trackjs", "tradier", "trakt", "transferwise",
    "transifex", "transloadit", "travelpayouts", "trello", "trustpilot", "tumblr", "twelvedata", "twitch",
    "tyntec", "typesense", "typetalk", "uclassify", "unbounce", "unifyid", "unplugg", "unsplash", "upcdatabase",
    "uplead", "uploadcare", "upstash", "uptimerobot", "upwave", "urbanairship", "urlscan", "usabilla",
    "userflow", "userpilot", "userstack", "uservoice", "vatlayer", "vbout", "venafi", "verimail", "veriphone",
    "versioneye", "viewneo", "vimeo", "virushee", "virustotal", "visualcrossing", "voicegain", "vonage",
    "voodoosms", "vouchery", "vpnapi", "vultr", "wakatime", "walkscore", "wandb", "weatherapi", "weatherbit",
    "weatherstack", "webflow", "webhookrelay", "webpurify", "webscraper", "webscraping", "websitepulse",
    "wepay", "what3words", "whatcms", "whoxy", "wolframalpha", "wordnik", "worksnaps", "workstack",
    "worldcoinindex", "worldweather", "wrike", "wunderground", "xero", "yammer", "yelp", "yotpo", "yousign",
    "zamzar", "zenhub", "zenkit", "zenrows", "zenscrape", "zenserp", "zeplin", "zerobounce", "zerossl",
    "zerotier", "zipapi", "zipbooks", "zipcodeapi", "zipcodebase", "zomato", "zonkafeedback", "zoomeye",
    "zoominfo", "zulip", "zuora",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted_and_long_enough() {
        assert!(VENDORS.is_sorted_by(|one, next| one < next));
        assert!(VENDORS.iter().all(|name| name.len() >= SHORTEST));
        assert!(
            VENDORS.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
        );
    }

    #[test]
    fn every_name_is_found_whole() {
        for name in VENDORS {
            let text = format!("{}_KEY", name.to_ascii_uppercase());
            assert_eq!(name_len(text.as_bytes()), Some(name.len()), "{name}");
        }
        assert_eq!(name_len(b"walkmeter"), None);
    }
}
