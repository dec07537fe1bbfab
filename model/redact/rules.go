package redact

import (
	"slices"
	"strings"
)

// Kinds that have a rule of their own for what is convincing, or that are masked on request.
const (
	password   = "password"
	phrase     = "recovery phrase"
	privateKey = "private key"
	random     = "random text"
	email      = "e-mail address"
	homeFolder = "home folder"
)

// rule says what a kind of secret looks like.
type rule struct {
	kind string
	// Words with spaces between them; a rule is tried where one of them is, in small or capital letters
	// after (?i). It is in the mask.
	keyword string
	// RE2 of what stands before the keyword, "" for the boundary of a word. A group is part of the mask.
	before string
	// RE2 of what follows the keyword. A group is all that is masked, and so is that of before without
	// an re. named stands for the rule of names and values.
	re string
	// Bits per byte that are needed in what follows the keyword or is in the group, 2 for 0. Words have three,
	// so from 2.5 on it needs letters and digits too, from 3 on in a part without signs, and from 3.5 on jumbled ones.
	entropy float64
}

// Parts of rules.
const (
	lines = `(?:(?:[\s>+]|\\+[nrt]|\d+[\t|])*[A-Za-z0-9+/=]{16,})+` // of base64
	bare  = `\\{0,15}["'\x60]?([^\s"'\x60\\|]{4,})`                 // an argument
	named = "=value"                                                // see names.go
	quote = `\\{0,15}["'\x60]`
)

// rules are tried where their keywords are; of those that match at a place, the one with the
// longest keyword counts, and then the first. The forms are those that vendors document.
var rules = []rule{
	// Tokens with a prefix of their vendor.
	{"GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", "", `\w{36,}`, 0},
	{"GitLab token", "glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glwt- GR1348941", "", `[\w.-]{20,}`, 0},
	{"Anthropic key", "sk-ant-", "", `[\w-]{24,}`, 0},
	{"OpenRouter key", "sk-or-", "", `[\w-]{32,}`, 0},
	{"OpenAI key", "sk-proj- sk-svcacct- sk-admin-", "", `[\w-]{32,}`, 0},
	{"API key", "sk-", "", `[\w.-]{20,}`, 3},
	{"Hugging Face token", "hf_ api_org_", "", `[A-Za-z0-9]{30,}`, 0},
	{"Groq key", "gsk_", "", `[A-Za-z0-9]{40,}`, 0},
	{"xAI key", "xai-", "", `[\w-]{60,}`, 0},
	{"Perplexity key", "pplx-", "", `[A-Za-z0-9]{40,}`, 0},
	{"Replicate token", "r8_", "", `[A-Za-z0-9]{32,}`, 0},
	{"NVIDIA key", "nvapi-", "", `[\w-]{50,}`, 0},
	{"ElevenLabs key", "sk_", "", `[0-9a-f]{48}`, 0},
	{"Tavily key", "tvly-", "", `[\w-]{24,}`, 3},
	{"Firecrawl key", "fc-", "", `[0-9a-f]{32}`, 0},
	{"Slack token", "xoxb- xoxa- xoxp- xoxo- xoxr- xoxs- xoxc- xoxe- xoxe.xoxb- xoxe.xoxp- xoxd- xapp- xwfp-", "", `[\w/.%-]{20,}`, 3},
	{"Google API key", "AIza AQ.Ab", "", `[\w-]{35,}`, 3},
	{"Google client secret", "GOCSPX-", "", `[\w-]{28}`, 0},
	{"Google OAuth token", "ya29. 1//0", "", `[\w.-]{30,}`, 0},
	{"AWS access key", "AKIA ASIA ABIA ACCA", "", `[A-Z0-9]{16}`, 0},
	{"AWS Bedrock key", "ABSK bedrock-api-key-", "", `[A-Za-z0-9+/=]{60,}`, 0},
	{"DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "", `[0-9a-f]{64}`, 0},
	{"Fly.io token", "fo1_ fm1_ fm2_ FlyV1", "", `[\w+/=-]{40,}`, 0},
	{"Supabase key", "sbp_ sb_secret_", "", `[\w-]{24,}`, 0},
	{"Databricks token", "dapi", "", `[0-9a-f]{32}`, 0},
	{"Vault token", "hvs. hvb. hvr.", "", `[\w-]{24,}`, 0},
	{"Doppler token", "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit. dp.st.", "", `[\w.]{40,}`, 0},
	{"Cloudflare key", "v1.0- cfut_ cfat_ cfk_", "", `[\w-]{40,}`, 3},
	{"Terraform token", "atlasv1.", "", `[\w=-]{60,70}`, 0},
	{"Vercel token", "vcp_ vck_ vercel_blob_rw_", "", `\w{40,}`, 0},
	{"Netlify token", "nfp_ nfc_ nfo_ nfu_ nfb_", "", `[A-Za-z0-9]{36,}`, 0},
	{"Tailscale key", "tskey-", "", `[\w-]{24,}`, 3},
	{"npm token", "npm_", "", `[A-Za-z0-9]{36}`, 0},
	{"PyPI token", "pypi-AgE", "", `[\w-]{50,}`, 0},
	{"RubyGems key", "rubygems_", "", `[0-9a-f]{48}`, 0},
	{"crates.io token", "cio", "", `[A-Za-z0-9]{32}`, 3},
	{"Docker token", "dckr_pat_ dckr_oat_", "", `[\w-]{27,}`, 0},
	{"NuGet key", "oy2", "", `[a-z0-9]{43}`, 3},
	{"Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", "", `[A-Za-z0-9]{10,}`, 0},
	{"Stripe webhook secret", "whsec_", "", `[A-Za-z0-9+/=]{24,}`, 0},
	{"Shopify token", "shpat_ shpca_ shppa_ shpss_", "", `[0-9a-fA-F]{32}`, 0},
	{"Square token", "sq0atp- sq0csp- EAAA", "", `[\w-]{22,}`, 3},
	{"SendGrid key", "SG.", "", `[\w.-]{60,}`, 0},
	{"Mailgun key", "key-", "", `[0-9a-f]{32}`, 0},
	{"Twilio key", "SK", "", `[0-9a-f]{32}`, 0},
	{"Linear key", "lin_api_ lin_oauth_", "", `[A-Za-z0-9]{32,}`, 0},
	{"Notion token", "ntn_ secret_", "", `[A-Za-z0-9]{40,}`, 3},
	{"Atlassian token", "ATATT3 ATCTT3 ATBB", "", `[\w=-]{32,}`, 3},
	{"Postman key", "PMAK-", "", `[\w-]{59}`, 0},
	{"Figma token", "figd_", "", `[\w-]{36,}`, 0},
	{"Airtable token", "pat", "", `[A-Za-z0-9.]{79}`, 3},
	{"Grafana token", "glsa_ glc_", "", `[\w+/=-]{32,}`, 0},
	{"New Relic key", "NRAK- NRII- NRJS-", "", `[\w-]{19,32}`, 0},
	{"Sentry token", "sntrys_ sntryu_", "", `[\w+/=-]{60,}`, 0},
	{"age secret key", "AGE-SECRET-KEY-1", "", `[A-Z0-9]{58}`, 0},
	{"Braintree token", "access_token$production$ access_token$sandbox$", "", `[A-Za-z0-9$]{40,}`, 0},
	{"Facebook token", "EAAM EAAG EAAB EAAC EAAJ EAAH EAAL", "", `[A-Za-z0-9]{100,}`, 3},
	{"Asana token", "0/ 1/ 2/", "", `[0-9a-f:]{45,55}`, 0},
	{"Dropbox token", "sl.", "", `[\w.-]{100,}`, 3},
	{"Voyage key", "pa-", "", `[\w-]{43}`, 3},
	{"wallet key", "xprv yprv zprv tprv", "", `[A-Za-z0-9]{100,}`, 0},
	{"password hash", "$1$ $5$ $6$ $7$ $y$ $gy$ $apr1$ $2a$ $2b$ $2x$ $2y$ $P$ $S$ $argon2i$ $argon2d$ $argon2id$ $scrypt$ $pbkdf2-sha256$ $pbkdf2-sha512$ $pbkdf2$ pbkdf2_sha256$ pbkdf2_sha1$ bcrypt_sha256$ argon2$ pbkdf2:sha256: scrypt:32768:", "", `[A-Za-z0-9+/.=$,:]{24,}`, 0},
	{privateKey, "LS0tLS1CRUdJTiBSU0EgUFJJ LS0tLS1CRUdJTiBQUklW LS0tLS1CRUdJTiBFQyBQ LS0tLS1CRUdJTiBPUEVO LS0tLS1CRUdJTiBFTkNS LS0tLS1CRUdJTiBEU0Eg", "", `[A-Za-z0-9+/=]{40,}`, 0},
	{"Fernet token", "gAAAAA", "", `[\w=-]{90,}`, 0},
	// Adobe, Apify, Artifactory, Buildkite, Cerebras, Clojars, Composio, EasyPost, Exa, Fireworks, Honeycomb, Infracost,
	// Mem0, Neon, Polar, PostHog, Prefect, Render, RunPod, Statsig, Trigger.dev, UpCloud, Xata.
	{"API key", "p8e- apify_api_ AKCp cmVmd bkua_ bkpt_ bkct_ csk- CLOJARS_ comp_ EZAK EZTK exa_ fw_ hcaik_ hcamk_ hcxik_ ico- m0- " +
		"napi_ polar_oat_ polar_pat_ phx_ phs_ pha_ pnu_ rnd_ rpa_ secret- tr_dev_ tr_prod_ tr_pat_ tr_stg_ ucat_ xau_ aio_", "", `[A-Za-z0-9]{24,}`, 3},
	// Axiom, Brevo, CircleCI, Contentful, DataStax, Defined Networking, Duffel, Dynatrace, fal, Frame.io, GoCardless,
	// Heroku, Instagram, Intercom, JetBrains, Jina, LangSmith, Logfire, Mapbox, Matrix, Mercado Pago, MongoDB, Namespace,
	// Pinecone, PlanetScale, ReadMe, Scalingo, Snyk, Sourcegraph, Together, Trello, Typeform, Weights & Biases, Yandex, Zoho.
	{"API key", "xaat- xapt- xkeysib- CCIPAT_ CFPAT- AstraCS: dnkey- duffel_ dt0c01. fal_ fio-u- live_ HRKU- IGQV IGAA dG9rO perm: " +
		"jina_ lsv2_pt_ lsv2_sk_ pylf_v1_ sk.eyJ tk.eyJ syt_ APP_USR- mdb_sa_sk_ nsct_ pcsk_ pscale_tkn_ pscale_pw_ pscale_oauth_ " +
		"rdme_ tk-us- snyk_ sgp_ tgp_v1_ ATTA tfp_ wandb_v1_ y0_ t1. AQVN 1000.", "", `[\w.:=+/-]{30,}`, 3},
	{"API key", "AVNS_ bb_live_ FLWSECK sha256~ re_ 0x4AAAAAAA", "", `[\w-]{16,}`, 3},                                                                              // Aiven, Browserbase, Flutterwave, OpenShift, Resend, Turnstile
	{"API key", "LTAI AKID ak- as- tk_ SCW", "", `[A-Za-z0-9]{16,32}`, 3},                                                                                          // Alibaba, Modal, ntfy, Scaleway, Tencent
	{"API key", "s-s4t2ud- s-s4t2af- crsr_ key_ dtn_ e2b_ live_ test_ mlsn. pul- rootly_ shippo_live_ shippo_test_ sqp_ squ_ sqa_", "", `[0-9a-f]{35,64}`, 0},      // 42, Cursor, Daytona, E2B, Lob, MailerSend, Pulumi, Rootly, Shippo, SonarQube
	{"API key", "rzp_live_ rzp_test_ sm_pat_ sm_aat_ sm_sat_", "", `[A-Za-z0-9]{14,16}`, 0},                                                                        // Razorpay, SettleMint
	{"API key", "waka_ api- sdk- pat-na1- pat-na2- pat-eu1- amzn.mws. access-sandbox- access-development- access-production-", "", `[0-9a-f]{8}-[0-9a-f-]{27}`, 0}, // Amazon, HubSpot, LaunchDarkly, Plaid, WakaTime

	{"webhook", "hooks.slack.com/ discord.com/api/ discordapp.com/api/ hooks.zapier.com/hooks/ hook.eu1.make.com/ hook.eu2.make.com/ " +
		"hook.us1.make.com/ hook.us2.make.com/ open.feishu.cn/open-apis/bot/ open.larksuite.com/open-apis/bot/ IncomingWebhook/", "", `[\w/-]{20,}`, 3},
	{"1Password token", "ops_eyJ", "", `[\w=-]{100,}`, 0},
	{"1Password key", "A3-", "", `[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}`, 0},
	{"ClickHouse key", "4b1d", "", `[A-Za-z0-9]{38}`, 3},
	{"GitLab session", "_gitlab_session", "", `=([0-9a-f]{32})`, 3},
	{"MaxMind key", "_mmk", `(?:\b|\\[nrt])([A-Za-z0-9]{6}_[A-Za-z0-9]{29})`, "", 0},
	{"Harness token", "pat. sat.", "", `[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}`, 3},
	{"Octopus Deploy key", "API-", "", `[A-Z0-9]{26}`, 3},
	{"Facebook app token", "|", `(?:\b|\\[nrt])(\d{15,16})`, `[\w-]{27}`, 3},
	{"Vault token", "s.", "", `[A-Za-z0-9]{24}`, 3.5},
	{"Authress key", "sc_ ext_ scauth_ authress_", "", `[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,}`, 0},

	// Secrets with a form, but without a prefix.
	{"JWT", "eyJ", "", `[\w-]{9,}\.(?:eyJ[\w-]{9,}(?:\.[\w-]*)?|[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+)`, 0},
	{"Telegram bot token", ":AA", `(?:\b|bot|\\[nrt])(\d{8,10})`, `[\w-]{33}`, 0},
	{"Discord token", "MD MT Mj Mz ND NT Nj Nz OD OT", "", `[\w-]{22,26}\.[\w-]{6}\.[\w-]{27,38}`, 0},
	{"Azure client secret", "Q~", `([\w.~-]{3}\d)`, `[\w.~-]{31,34}`, 3},
	{"Mailchimp key", "-us", `(?:\b|\\[nrt])([0-9a-f]{32})`, `\d{1,2}`, 0},
	{"ngrok token", "2", "", `[A-Za-z0-9]{26}_[A-Za-z0-9]{21}`, 3},
	{"wallet key", "Kw Kx Ky Kz L1 L2 L3 L4 L5 5H 5J 5K", "", `[1-9A-HJ-NP-Za-km-z]{49,50}`, 4},
	{privateKey, "-----BEGIN", "", ` [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-[^-])*-----END [A-Z0-9 ]{0,40}-----|(?:` + lines + `)?)`, 0},
	{privateKey, "Private-Lines:", "", ` ?\d+(` + lines + `)`, 0},
	{"vault", "$ANSIBLE_VAULT;", "", `[\w.;-]+` + lines, 0},
	{"one-time password secret", "otpauth://", "", `[^\s"']*?[?&]secret=([A-Za-z2-7=]{8,})`, 0},
	{random, "\" '", "", `([\w+/-]{32,88}={0,2})\\{0,15}["']`, 4.4},

	// Passwords and tokens in headers, URLs and data sources.
	{"bearer token", "Bearer bearer", "", ` ([\w.~+/=-]{16,})`, 3},
	{"authorization header", "(?i)authorization", `(?:^|[\W_]|\\[nrt])`, `(?:` + quote + `)?\]?\s?[:=,]\s{0,24}f?(?:` + quote + `)?(?:[A-Za-z][\w-]{0,19} )?([^\s"'\x60\\,(){}]{8,})`, 2.5},
	{"cookie", "(?i)cookie", "", `(?:` + quote + `)?: ?(?:` + quote + `)?([^\r\n"'\x60\\]*=[^\r\n"'\x60\\]*)`, 2.5},
	{"signature", "key= sig= auth= code= jwt= hmac= sid= Signature= signature=", `(?:[?&]|\\u0026)[\w-]*`, `([^\s"'\x60\\&#<>]{16,})`, 3},
	{"password in URL", "://", "", `[^\s/@:"'\x60\\?<>]{0,64}:([^\s/"'\x60\\?<>]{1,128}|[^\s\d@"'\x60\\?<>][^\s@:"'\x60\\?<>]{1,64})@`, 0},
	{"token in URL", "://", "", `([\w-]{20,})@`, 3},
	{password, "@tcp( @unix(", `:([^\s:"'\x60=/]+)`, "", 0},
	{password, ":5432: :5433: :6432:", "", `[^:\s]+:[^:\s]+:([^\s"'\\/:]+)`, 0},
	{password, "WIFI:", "", `[^\s"]{0,64};P:([^;\s"\\]+)`, 0},
	{"secret", "auth", `["_]`, `(?:` + quote + ` ?: ?` + quote + `|=)([A-Za-z0-9+/]{12,}={0,2})`, 3},

	// Arguments of commands, calls and statements.
	{password, "curl", "", `(?: [^|;]{0,160}?)? (?:-\w{0,3}u|--user)[ =]?(?:` + quote + `)?[^\s:"'\\]+:` + bare, 0},
	{"cookie", "curl", "", `(?: [^|;]{0,160}?)? (?:-b|--cookie) (?:` + quote + `)([^"'\\]*=[^"'\\]*)`, 2.5},
	{password, "mysql mysqldump mariadb", "", `(?: [^|;\n]{0,80}?)? -p` + quote + `?(\d*[^\s\d"'\x60\\|][^\s"'\x60\\|]{3,})`, 0},
	{password, "sshpass", "", ` -p ?` + bare, 0},
	{password, "redis-cli mosquitto_pub mosquitto_sub", "", `(?: [^|;\n]{0,80}?)? -[aP] ` + bare, 0},
	{password, "docker podman", "", ` login [^|;\n]{0,80}?-p ` + bare, 0},
	{password, "pass:", `-pass(?:in|out)? `, bare, 0},
	{password, "htpasswd rabbitmqctl", "", ` (?:-\w*b\w* (?:-\w+ )*|add_user |change_password )\S+ ` + bare, 0},
	{password, "gh", "", ` secret set \S+ (?:--body|-b)[ =]` + bare, 0},
	{password, "echo", "", ` ` + bare + `[ "'\\]{0,4}\| ?[^|\n]{0,60}?(?:-stdin|sudo -S|chpasswd)`, 0},
	{password, "machine", "", ` \S+ login \S+ password ([^\s"'\\]+)`, 0},
	{password, "auth=( BasicAuth( basic_auth( basicAuth( DigestAuth( NetworkCredential( login( begin(", `\w*`, `\s{0,24}` + quote + `[^"'\\\s]{1,64}` + quote + `,\s{0,24}` + quote + `([^"'\\\s]{8,})`, 3},
	{"secret", "jwt.sign( jwt.verify( jwt.encode( jwt.decode(", "", `[^,"'()]{0,64},\s{0,24}` + quote + `([^,"'\\\s]{8,})`, 2.5},
	{password, "(?i)identified", "", `(?i) by ` + quote + `([^"'\\\s]+)`, 0},
	{password, "(?i)insert", "", `(?i) into [^()]{1,80}\([^()]{0,400}(?:password|passwd|token|secret|api_?key)\b[^()]{0,400}\)\s{0,4}values[^;]{0,200}?'([^'\s]{8,})'`, 3},
	{"secret", "variable", "", ` ` + quote + `\w*(?:password|token|secret|_key)` + quote + ` \{[^}]{0,240}?default\s{0,8}= ` + quote + `([^"'\\\s]{6,})`, 0},

	// Sentences.
	{password, "(?i)password passphrase passcode passwort kennwort", "", `(?:(?:[ \t][\w@.äöüß]+){1,8}?(?: is| ist| was| lautet):?|(?:[ \t][\w@.äöüß]+){1,8}?:)[ \t]+(?:` + quote + `)?([^\s"'\x60\\,;]{8,})`, 3},
	{password, "password passphrase token", `(?:^|[\s"'\x60(])([^\s"'\x60\\,;()/]{6,})["'\x60]? as (?:the |your )?`, "", 3},
	{password, "(?i)credentials creds login zugangsdaten anmeldedaten", "", `:? (?:are |sind )?[\w.@-]{1,64} ?[/:] ?([^\s"'\x60\\,;]{8,})`, 3},
	{phrase, "(?i)phrase words mnemonic seed", "", `(?:` + quote + `)?\*{0,2}(?: is)?:?[\s=]{1,8}(?:` + quote + `)?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}|(?:\d{1,2}[.)]? ?[a-z]{3,8}(?:\s|\\+[nr]){1,3}){11,23}\d{1,2}[.)]? ?[a-z]{3,8})`, 0},

	// Names of values.
	{password, "(?i)password passwd passphrase pwd passcode requirepass masterauth storepass keypass pepper passwort kennwort wachtwoord " +
		"senha parola adgangskode contraseña пароль パスワード 비밀번호 hasło şifre lösenord 密码 密碼 口令", "", named, 0},
	{password, "passe", `(?i)mot de `, named, 0},
	{password, "pass pw psk Pw PASS PW PSK", `(?:^|[^A-Za-z])`, named, 0},
	{password, "Pass", `(?:^|[^A-Z])`, named, 0},
	{"token", "(?i)token 令牌", "", named, 0},
	{"secret", "(?i)secret credential credentials geheimnis", "", named, 0},
	{"key", "(?i)key", `(?i:api|secret|access|private|signing|encryption|auth|master|account|shared|service|role|admin|deploy|license|hmac|` +
		`webhook|subscription|client|application|app|storage|integration|crypto|wallet)[_ .-]?`, named, 0},
	{"key", "KEY", `[A-Z0-9]_`, named, 0},
	{"key", "SECRET_KEY_BASE secret_key_base SALT 密钥 密鑰 Schlüssel", "", named, 0},

	// On request.
	{email, "@", `(\w[\w.%+-]*)`, `[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}`, 0},
	{homeFolder, "/home/ /Users/", `(?:^|[^\w.-]|(?:^|[^\w.-])/[A-Za-z]|\\[nrt])`, `\w[\w.-]*`, 0},
	{homeFolder, ":\\", `([A-Za-z])`, `\\*Users\\+\w[\w.-]*`, 0},
}

// convincing reports whether what a rule matches is a secret of its kind. It is a token with its prefix,
// or what the words around it tell.
func (r rule) convincing(v string, token bool) bool {
	switch r.kind {
	case email, homeFolder:
		return !nobody().MatchString(v)
	case phrase:
		n := len(strings.FieldsFunc(v, func(r rune) bool { return r < 'a' || r > 'z' }))
		return n%3 == 0 && !prose().MatchString(v)
	case password, "password in URL":
		return secret(v, password, true, constant) && (r.entropy == 0 || len(v) >= 8 && mixed(v))
	}
	return !unfilled().MatchString(v) && (token || !placeholder().MatchString(v)) && entropy(v) >= max(r.entropy, 2) &&
		(r.entropy < 2.5 || mixed(v)) &&
		(r.entropy < 3 || slices.ContainsFunc(part().FindAllString(v, -1), mixed)) &&
		(r.entropy < 3.5 || diverse(v) && changes(v) >= 0.45)
}

var (
	nobody = compiled(`^git@|\.(?i:png|jpe?g|gif|svg|webp|service|socket|timer)$|^(?:Shared|Public)$`)
	prose  = compiled(`\b(?:the|and|for|are|was|has|have|this|that|with|your|you|not)\b`)

	// Names of quoted texts that look random, and are no secrets.
	identifier = compiled(`(?i)(?:id|hash|sum|digest|etag|integrity|sha\d*|nonce|signature|commit|version|url|key|path|data|cursor)["'\\\]]{0,9}\s?(?:[:=,(]|=>)\s?\\{0,15}$`)
	part       = compiled(`[A-Za-z0-9]{12,}`)
)
