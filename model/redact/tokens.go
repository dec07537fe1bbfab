package redact

import (
	"crypto/sha256"
	"math/big"
	"sort"
	"strings"
)

// tokenForm is the form of a kind of token: a prefix, followed by a number of bytes of a set.
type tokenForm struct {
	kind           string
	prefix         string // in forms: several, with spaces between them
	set            uint16
	minLen         int
	maxLen         int
	mustLookRandom bool // the rest must look random, because the prefix begins ordinary words too
}

// anyLength is the maximum length of a form whose vendor documents none.
const anyLength = 4096

// forms are the forms with a fixed prefix. The prefixes, sets and lengths are what
// vendors document for their scanning partners, or the rule of that name in gitleaks
// (config/gitleaks.toml) and detect-secrets (plugins) describes. Lengths are loose
// where vendors have changed them.
var forms = []tokenForm{
	// GitHub, "About authentication to GitHub": ghp_ and its kin with 36 characters, 255 at
	// most; fine-grained tokens with 22, an underscore and 59.
	{"GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", alnum, 36, 255, false},
	{"GitHub token", "github_pat_", word, 40, 255, false},
	// GitLab, "Token prefixes": 20 characters; routable ones are longer, with dots.
	{"GitLab token", "glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glwt-", urlSet | dot, 20, 300, false},
	{"GitLab token", "GR1348941", urlSet, 20, 20, false},
	// Model providers, by their consoles and gitleaks: openai-api-key, anthropic-api-key,
	// huggingface-access-token, perplexity-api-key, cohere-api-token.
	{"Anthropic key", "sk-ant-", urlSet, 24, anyLength, false},
	{"OpenRouter key", "sk-or-", urlSet, 32, anyLength, false},
	{"OpenAI key", "sk-proj- sk-svcacct- sk-admin-", urlSet, 32, anyLength, false},
	{"Langfuse key", "sk-lf-", urlSet, 32, 64, false},
	{"API key", "sk-", urlSet | dot, 20, anyLength, true}, // OpenAI's older form, and many that follow it
	{"Hugging Face token", "hf_ api_org_", alnum, 30, 64, false},
	{"Groq key", "gsk_", alnum, 40, 80, false},
	{"xAI key", "xai-", urlSet, 60, 120, false},
	{"Perplexity key", "pplx-", alnum, 40, 80, false},
	{"Replicate token", "r8_", alnum, 32, 64, false},
	{"Fireworks key", "fw_", alnum, 20, 64, true},
	{"NVIDIA key", "nvapi-", urlSet, 50, 100, false},
	{"Together key", "tgp_v1_", urlSet, 30, 80, false},
	{"Cerebras key", "csk-", alnum, 40, 80, false},
	{"Jina key", "jina_", urlSet, 40, 100, false},
	{"Pinecone key", "pcsk_", word, 40, 120, false},
	{"LangSmith key", "lsv2_pt_ lsv2_sk_", word, 40, 80, false},
	{"ElevenLabs key", "sk_", hexDigits, 48, 48, false},
	{"fal key", "fal_", urlSet, 30, 120, true},
	{"Mem0 key", "m0-", alnum, 40, 40, false},
	{"E2B key", "e2b_", hexDigits, 40, 40, false},
	{"Tavily key", "tvly-", urlSet, 24, 80, true},
	{"Exa key", "exa_", alnum, 24, 80, true},
	{"Firecrawl key", "fc-", hexDigits, 32, 32, false},
	{"Browserbase key", "bb_live_", urlSet, 20, 80, true},
	// Slack, "Token types"; gitleaks: slack-bot-token, slack-user-token, slack-app-token,
	// slack-session-token, slack-webhook-url.
	{"Slack token", "xoxb- xoxa- xoxp- xoxo- xoxr- xoxs- xoxc-", urlSet | dot, 20, anyLength, true},
	{"Slack token", "xoxd-", urlSet | dot | slash | percent, 20, anyLength, true},
	{"Slack token", "xoxe- xoxe.xoxb- xoxe.xoxp-", urlSet | dot, 20, anyLength, true},
	{"Slack token", "xapp- xwfp-", urlSet, 20, anyLength, true},
	{"Slack webhook", "https://hooks.slack.com/", base64Set, 40, 200, false},
	{"Discord webhook", "https://discord.com/api/webhooks/ https://discordapp.com/api/webhooks/", urlSet | slash, 60, 200, false},
	// Google; gitleaks: gcp-api-key. Client secrets and OAuth tokens by Google's documents.
	{"Google API key", "AIza", urlSet, 35, 35, false},
	{"Google client secret", "GOCSPX-", urlSet, 28, 28, false},
	{"Google OAuth token", "ya29.", urlSet | dot, 30, anyLength, false},
	{"Google OAuth token", "1//0", urlSet, 40, 300, false},
	// AWS, "IAM identifiers": the prefix, then 16 characters of base32. Bedrock: gitleaks
	// aws-amazon-bedrock-api-key-long-lived and -short-lived.
	{"AWS access key", "AKIA ASIA ABIA ACCA", upper | digit, 16, 16, false},
	{"AWS Bedrock key", "ABSK", base64Set | equals, 100, 300, false},
	{"AWS Bedrock key", "bedrock-api-key-", base64Set | equals, 60, anyLength, false},
	// Other clouds: alibaba-access-key-id, yandex-aws-access-token, digitalocean-*, heroku-api-key-v2,
	// flyio-access-token, supabase, planetscale-*, databricks-api-token, vault-*, doppler-api-token,
	// pulumi-api-token, scalingo-api-token, cloudflare-origin-ca-key, openshift-user-token.
	{"Alibaba Cloud key", "LTAI", alnum, 16, 24, true},
	{"Tencent Cloud key", "AKID", alnum, 32, 32, true},
	{"DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", hexDigits, 64, 64, false},
	{"Heroku key", "HRKU-", urlSet, 36, 80, false},
	{"Fly.io token", "fo1_", urlSet, 40, 60, false},
	{"Fly.io token", "fm1_ fm2_", base64Set | equals | underscore, 100, anyLength, false},
	{"Supabase key", "sbp_", hexDigits, 40, 40, false},
	{"Supabase key", "sb_secret_", urlSet, 24, 80, false},
	{"PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", urlSet | dot, 32, 64, false},
	{"Databricks token", "dapi", hexDigits, 32, 32, false},
	{"Vault token", "hvs.", urlSet, 24, 300, false},
	{"Vault token", "hvb.", urlSet, 24, 400, false},
	{"Vault token", "hvr.", urlSet, 24, 300, false},
	{"Doppler token", "dp.pt.", alnum, 40, 48, false},
	{"Doppler token", "dp.st.", alnum | dot | underscore, 40, 80, false},
	{"Doppler token", "dp.ct. dp.sa.", alnum, 40, 48, false},
	{"Pulumi token", "pul-", hexDigits, 40, 40, false},
	{"Scalingo token", "tk-us-", urlSet, 48, 48, false},
	{"Cloudflare key", "v1.0-", urlSet, 120, 200, false},
	{"OpenShift token", "sha256~", urlSet, 43, 43, false},
	{"Terraform token", "atlasv1.", urlSet | equals, 60, 70, false}, // after the id of the token and a dot
	{"Vercel token", "vcp_ vck_", alnum, 40, 80, false},
	{"Netlify token", "nfp_", alnum, 36, 60, false},
	{"Render key", "rnd_", alnum, 28, 60, true},
	{"Neon key", "napi_", alnum, 48, 80, false},
	{"Tailscale key", "tskey-", urlSet, 24, 120, true},
	{"Artifactory key", "AKCp", alnum, 69, 69, false},
	{"Artifactory key", "cmVmd", alnum, 59, 59, false},
	// Package registries: npm-access-token, pypi-upload-token, rubygems-api-token, clojars-api-token;
	// crates.io, Docker and NuGet by their documents.
	{"npm token", "npm_", alnum, 36, 36, false},
	{"PyPI token", "pypi-AgE", urlSet, 50, anyLength, false},
	{"RubyGems key", "rubygems_", hexDigits, 48, 48, false},
	{"crates.io token", "cio", alnum, 32, 32, true},
	{"Docker token", "dckr_pat_ dckr_oat_", urlSet, 27, 60, false},
	{"NuGet key", "oy2", lower | digit, 43, 43, true},
	{"Clojars token", "CLOJARS_", alnum, 60, 60, false},
	// Payment: Stripe, "API keys"; shopify-*, square-access-token, flutterwave-secret-key, easypost-api-token.
	{"Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", alnum, 10, 255, false},
	{"Stripe webhook secret", "whsec_", base64Set | equals, 24, 100, false},
	{"Shopify token", "shpat_ shpca_ shppa_ shpss_", hexDigits | upperHex, 32, 32, false},
	{"Square token", "sq0atp-", urlSet, 22, 60, false},
	{"Square token", "sq0csp-", urlSet, 40, 60, false},
	{"Square token", "EAAA", urlSet, 56, 60, true},
	{"Flutterwave key", "FLWSECK", urlSet, 12, 60, false},
	{"EasyPost key", "EZAK EZTK", alnum, 54, 54, false},
	// Mail and messages: sendgrid-api-token, mailgun-private-api-token, sendinblue-api-token,
	// twilio-api-key; Resend and Matrix by their documents.
	{"SendGrid key", "SG.", urlSet | dot, 60, 72, false},
	{"Mailgun key", "key-", hexDigits, 32, 32, false},
	{"Brevo key", "xkeysib-", urlSet, 64, 100, false},
	{"Twilio key", "SK", hexDigits, 32, 32, false},
	{"Resend key", "re_", word, 24, 48, true},
	{"Matrix token", "syt_", word, 24, 120, true},
	// Work: linear-api-key, notion-api-token, atlassian-api-token, postman-api-token, figma, typeform-api-token,
	// airtable-personnal-access-token, frameio-api-token, prefect-api-token, readme-api-token.
	{"Linear key", "lin_api_", alnum, 32, 64, false},
	{"Linear key", "lin_oauth_", alnum, 32, 80, false},
	{"Notion token", "ntn_", alnum, 40, 60, false},
	{"Notion token", "secret_", alnum, 43, 43, true},
	{"Atlassian token", "ATATT3 ATCTT3", urlSet | equals, 80, 300, false},
	{"Atlassian token", "ATBB", alnum, 32, 40, true},
	{"Postman key", "PMAK-", urlSet, 59, 59, false},
	{"Figma token", "figd_", urlSet, 36, 60, false},
	{"Typeform token", "tfp_", urlSet | dot, 40, 80, false},
	{"Airtable token", "pat", alnum | dot, 79, 79, true},
	{"Frame.io token", "fio-u-", urlSet | equals, 64, 64, false},
	{"Prefect key", "pnu_", alnum, 36, 36, false},
	{"ReadMe key", "rdme_", lower | digit, 70, 70, false},
	// Operations: grafana-*, new-relic-*, sentry-*, dynatrace-api-token, snyk, sourcegraph-access-token,
	// 1password-*, age-secret-key, infracost-api-token, duffel-api-token, contentful, buildkite, circleci.
	{"Grafana token", "glsa_", word, 40, 60, false},
	{"Grafana token", "glc_", base64Set | equals | urlSet, 32, 400, false},
	{"New Relic key", "NRAK-", alnum, 27, 27, false},
	{"New Relic key", "NRII-", urlSet, 32, 32, false},
	{"Sentry token", "sntrys_", base64Set | equals | underscore | dash, 60, 400, false},
	{"Sentry token", "sntryu_", hexDigits, 64, 64, false},
	{"Dynatrace token", "dt0c01.", upper | digit | dot, 80, 100, false},
	{"Sourcegraph token", "sgp_", alnum | underscore, 40, 80, false},
	{"age secret key", "AGE-SECRET-KEY-1", upper | digit, 58, 58, false},
	{"Infracost key", "ico-", alnum, 32, 32, true},
	{"Duffel token", "duffel_", urlSet | equals, 48, 52, false},
	{"Contentful token", "CFPAT-", urlSet, 40, 60, false},
	{"CircleCI token", "CCIPAT_", word, 40, 100, false},
	{"Buildkite token", "bkua_", hexDigits, 40, 40, false},
	{"PostHog key", "phx_", alnum, 40, 60, false},
	// More of the rules of gitleaks and of the partners of GitHub's secret scanning, under their names there.
	{"1Password token", "ops_eyJ", urlSet | equals, 250, anyLength, false},
	{"Adobe secret", "p8e-", alnum, 32, 32, false},
	{"Aiven password", "AVNS_", urlSet, 16, 40, true},
	{"Apify token", "apify_api_", alnum, 30, 60, false},
	{"Axiom token", "xaat- xapt-", urlSet, 36, 36, false},
	{"Braintree token", "access_token$production$ access_token$sandbox$", alnum | dollar, 40, 60, false},
	{"Buildkite token", "bkpt_ bkct_", alnum, 40, 80, false},
	{"Cloudflare token", "cfut_ cfat_ cfk_", alnum, 40, 80, false},
	{"Composio key", "comp_", alnum, 24, 60, true},
	{"Cursor key", "crsr_ key_", hexDigits, 64, 64, false},
	{"Daytona key", "dtn_", hexDigits, 64, 64, false},
	{"Defined Networking token", "dnkey-", urlSet, 60, 100, false},
	{"Facebook token", "EAACEdEose0cBA", alnum, 30, anyLength, false},
	{"Facebook token", "EAAM EAAG EAAB EAAC EAAJ EAAH EAAL", alnum, 100, anyLength, true},
	{"42 token", "s-s4t2ud- s-s4t2af-", hexDigits, 64, 64, false},
	{"Fly.io token", "FlyV1", base64Set | equals | underscore, 60, anyLength, false},
	{"GoCardless token", "live_", urlSet, 35, 42, true},
	{"Helicone key", "sk-helicone-", urlSet, 20, 80, false},
	{"Honeycomb key", "hcaik_ hcamk_ hcxik_", alnum, 40, 80, false},
	{"JetBrains token", "perm:", alnum | dot | equals | dash, 60, 200, false},
	{"Lob key", "live_ test_", hexDigits, 35, 35, false},
	{"Logfire token", "pylf_v1_", word, 30, 100, false},
	{"MailerSend token", "mlsn.", hexDigits, 64, 64, false},
	{"Mapbox token", "sk.eyJ tk.eyJ", urlSet | dot, 60, 300, false},
	{"Mercado Pago token", "APP_USR-", urlSet, 40, 120, false},
	{"Namespace token", "nsct_", urlSet, 40, anyLength, false},
	{"Netlify token", "nfc_ nfo_ nfu_ nfb_", alnum, 36, 60, false},
	{"Plaid token", "access-sandbox- access-development- access-production-", alnum | dash, 36, 36, false},
	{"Polar token", "polar_oat_ polar_pat_", alnum, 30, 80, false},
	{"PostHog key", "phs_ pha_", alnum, 40, 60, false},
	{"Razorpay key", "rzp_live_ rzp_test_", alnum, 14, 14, false},
	{"Rootly token", "rootly_", hexDigits, 64, 64, false},
	{"RunPod key", "rpa_", alnum, 36, 60, false},
	{"SettleMint token", "sm_pat_ sm_aat_ sm_sat_", alnum, 16, 16, false},
	{"Shippo token", "shippo_live_ shippo_test_", hexDigits, 40, 40, false},
	{"Snyk token", "snyk_", urlSet | dot, 32, 120, true},
	{"SonarQube token", "sqp_ squ_ sqa_", hexDigits, 40, 40, false},
	{"Statsig key", "secret-", alnum, 30, 60, true},
	{"Trigger.dev key", "tr_dev_ tr_prod_ tr_pat_ tr_stg_", alnum, 20, 60, true},
	{"UpCloud token", "ucat_", alnum, 24, 40, true},
	{"Weights & Biases key", "wandb_v1_", urlSet, 40, 120, false},
	{"Xata key", "xau_", alnum, 30, 60, true},
	{"Yandex token", "y0_ t1.", urlSet | dot | equals, 50, 300, true},
	{"Yandex key", "AQVN", urlSet, 35, 38, true},
	{"Zapier webhook", "https://hooks.zapier.com/hooks/catch/", alnum | slash, 12, 60, false},
	{"Make webhook", "https://hook.eu1.make.com/ https://hook.eu2.make.com/ https://hook.us1.make.com/ https://hook.us2.make.com/", alnum, 24, 60, false},
	{"Teams webhook", "IncomingWebhook/", alnum | dash | slash, 60, 200, false},
	{"Feishu webhook", "https://open.feishu.cn/open-apis/bot/v2/hook/ https://open.larksuite.com/open-apis/bot/v2/hook/", urlSet, 30, 80, false},
	{"Discord webhook", "https://discord.com/api/v10/webhooks/ https://discord.com/api/v9/webhooks/ https://ptb.discord.com/api/webhooks/ https://canary.discord.com/api/webhooks/", urlSet | slash, 60, 200, false},
	{"Adafruit key", "aio_", alnum, 28, 28, true},
	{"Amazon MWS token", "amzn.mws.", hexDigits | dash, 36, 36, false},
	{"Asana token", "0/ 1/ 2/", hexDigits | colonSign, 45, 55, false},
	{"DataStax token", "AstraCS:", alnum | colonSign, 60, 120, false},
	{"Doppler token", "dp.scim. dp.audit.", alnum, 40, 48, false},
	{"Dropbox token", "sl.", urlSet | dot, 100, anyLength, true},
	{"Google API key", "AQ.Ab", urlSet, 40, 60, true},
	{"HubSpot token", "pat-na1- pat-na2- pat-eu1-", hexDigits | dash, 36, 36, false},
	{"Instagram token", "IGQV IGAA", urlSet, 100, 300, true},
	{"Intercom token", "dG9rO", base64Set | equals, 45, 75, true},
	{"LaunchDarkly key", "api- sdk-", hexDigits | dash, 36, 36, true},
	{"Modal token", "ak- as-", alnum, 22, 22, true},
	{"MongoDB Atlas key", "mdb_sa_sk_", urlSet, 30, 60, false},
	{"New Relic key", "NRJS-", hexDigits, 19, 19, false},
	{"ntfy token", "tk_", lower | digit, 29, 29, true},
	{"Scaleway key", "SCW", upper | digit, 17, 17, true},
	{"Trello token", "ATTA", hexDigits | upperHex, 68, 76, true},
	{"Turnstile key", "0x4AAAAAAA", urlSet, 20, 40, false},
	{"Vercel token", "vercel_blob_rw_", word, 40, 60, false},
	{"Voyage key", "pa-", urlSet, 43, 43, true},
	{"WakaTime key", "waka_", hexDigits | dash, 36, 36, false},
	{"Zoho token", "1000.", hexDigits | dot, 65, 65, false},
	// Keys of wallets (BIP 32) and hashes of passwords, of crypt(3) and of frameworks.
	{"wallet key", "xprv yprv zprv tprv", alnum, 100, 112, false},
	{"password hash", "$1$ $5$ $6$ $7$ $y$ $gy$ $apr1$ $2a$ $2b$ $2x$ $2y$ $P$ $S$", alnum | slash | dot | dollar | equals, 24, 160, false},
	{"password hash", "$argon2i$ $argon2d$ $argon2id$ $scrypt$ $pbkdf2-sha256$ $pbkdf2-sha512$ $pbkdf2$", base64Set | dot | dollar | equals | listComma, 40, 300, false},
	{"password hash", "pbkdf2_sha256$ pbkdf2_sha1$ bcrypt_sha256$ argon2$ pbkdf2:sha256: scrypt:32768:", base64Set | dot | dollar | equals | listComma | colonSign, 40, 300, false},
	// A private key in base64 once more, as in a kubeconfig and in variables of CI.
	{"private key", "LS0tLS1CRUdJTiBSU0EgUFJJ LS0tLS1CRUdJTiBQUklW LS0tLS1CRUdJTiBFQyBQ LS0tLS1CRUdJTiBPUEVO LS0tLS1CRUdJTiBFTkNS LS0tLS1CRUdJTiBEU0Eg", base64Set | equals, 40, 1 << 16, false},
	// Fernet tokens (cryptography.fernet) begin with the version and a time.
	{"Fernet token", "gAAAAA", urlSet | equals, 90, anyLength, false},
}

// tokens has a form for each prefix.
var tokens = func() (all []tokenForm) {
	for _, f := range forms {
		for _, prefix := range strings.Fields(f.prefix) {
			one := f
			one.prefix = prefix
			all = append(all, one)
		}
	}
	return all
}()

// tokensBy has the forms by the first byte of their prefix, the longest first.
var tokensBy = func() (by [128][]tokenForm) {
	for _, t := range tokens {
		by[t.prefix[0]] = append(by[t.prefix[0]], t)
	}
	for _, list := range by {
		sort.SliceStable(list, func(i, j int) bool { return len(list[i].prefix) > len(list[j].prefix) })
	}
	return by
}()

// token matches a token with a prefix at i, a JSON Web Token, a token known by its lengths, or
// what follows a scheme of an Authorization header.
func (sc *scanner) token(i int) found {
	s := sc.s[i:]
	for _, t := range tokensBy[s[0]&127] {
		if len(s) < len(t.prefix)+t.minLen || !strings.HasPrefix(s, t.prefix) {
			continue
		}
		from := i + len(t.prefix)
		to := sc.run(t.set, from)
		for to > from && (sc.s[to-1] == '.' || sc.s[to-1] == '-' && t.set&dash != 0 && to-from > t.maxLen) {
			to--
		}
		if n := to - from; n < t.minLen || n > t.maxLen {
			continue
		}
		if body := sc.s[from:to]; !varied(body) || unfilled(body) || t.mustLookRandom && !looksRandom(body) {
			continue
		}
		return found{from: i, to: to, kind: t.kind}
	}
	return sc.unprefixed(i)
}

// unprefixed matches a token at i that has no fixed prefix.
func (sc *scanner) unprefixed(i int) found {
	s := sc.s[i:]
	switch {
	case strings.HasPrefix(s, "eyJ"):
		if to := sc.webToken(i); to > 0 {
			return found{from: i, to: to, kind: "JWT"}
		}
	case len(s) > 7 && (s[0] == 'B' || s[0] == 'b') && s[1:7] == "earer ":
		from := i + 7
		to := sc.run(token68, from)
		if value := sc.s[from:to]; len(value) >= 16 && len(value) <= anyLength && varied(value) && looksRandom(value) {
			if f := sc.token(from); f.to == to {
				return f
			}
			return found{from: from, to: to, kind: "bearer token"}
		}
	case strings.HasPrefix(s, "$ANSIBLE_VAULT;"):
		from := i + lineLength(s)
		if to := sc.pastLines(from); to > from {
			return found{from: from, to: to, kind: "vault"}
		}
	case s[0] == 'M' || s[0] == 'N' || s[0] == 'O':
		return sc.discord(i)
	case s[0] == '5' || s[0] == 'K' || s[0] == 'L':
		if to := sc.run(alnum, i); isWalletKey(sc.s[i:to]) {
			return found{from: i, to: to, kind: "wallet key"}
		}
	case s[0] == '2': // of ngrok: 27 letters and digits, 21 after an underscore
		if to := sc.run(word, i); to-i == 49 && s[27] == '_' && strings.Count(s[:49], "_") == 1 && mixed(s[:27]) && mixed(s[28:49]) {
			return found{from: i, to: to, kind: "ngrok token"}
		}
	}
	return found{}
}

// isWalletKey reports whether a text is a private key of Bitcoin in the wallet import format:
// base58 with the first byte 0x80 and a checksum.
func isWalletKey(s string) bool {
	if len(s) != 51 && len(s) != 52 {
		return false
	}
	// Bitcoin's digits, and those of package big in their place.
	const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
	number, ok := new(big.Int).SetString(strings.Map(func(r rune) rune {
		if i := strings.IndexRune(base58, r); i >= 0 {
			return rune(digits[i])
		}
		return '?'
	}, s), len(base58))
	if !ok {
		return false
	}
	b := number.Bytes()
	if len(b) != len(s)-14 || b[0] != 0x80 { // the shorter form has a byte less
		return false
	}
	sum := sha256.Sum256(b[:len(b)-4])
	sum = sha256.Sum256(sum[:])
	return string(sum[:4]) == string(b[len(b)-4:])
}

// mailchimp matches a key of Mailchimp, whose data center begins at i: 32 hexadecimal digits
// before -us and a number (gitleaks: mailchimp-api-key).
func (sc *scanner) mailchimp(i int) found {
	from := i - 32
	to := sc.run(digit, i+3)
	if from < sc.copied || to == i+3 || to > i+5 || to < len(sc.s) && class[sc.s[to]]&urlSet != 0 || !sc.boundary(from) || sc.run(hexDigits, from) != i {
		return found{}
	}
	return found{from: from, to: to, kind: "Mailchimp key"}
}

// lineLength returns the length of the first line of a text, of a JSON string too.
func lineLength(s string) int {
	s = s[:min(len(s), longestName)]
	if n := strings.IndexAny(s, "\n\\"); n >= 0 {
		return n
	}
	return len(s)
}

// webToken returns the end of a JSON Web Token at i, 0 for none: header and claims, JSON objects
// in base64url, and a signature that may be empty (RFC 7515); or the five parts of an encrypted
// one (RFC 7516).
func (sc *scanner) webToken(i int) int {
	const shortest = 12
	to := sc.run(urlSet, i)
	if to-i < shortest {
		return 0
	}
	claims, parts := "", 0
	for parts < 4 && to < len(sc.s) && sc.s[to] == '.' {
		next := sc.run(urlSet, to+1)
		if parts == 0 {
			claims = sc.s[to+1 : next]
		}
		to = next
		parts++
	}
	switch {
	case len(claims) >= shortest && strings.HasPrefix(claims, "eyJ"):
		return to
	case parts == 4:
		return to
	}
	return 0
}

// azure matches a client secret of Microsoft Entra, which has Q~ behind three characters and
// a digit (gitleaks: azure-ad-client-secret), around the tilde at i.
func (sc *scanner) azure(i int) found {
	s := sc.s
	if i < sc.copied+5 || s[i-1] != 'Q' || class[s[i-2]] != digit {
		return found{}
	}
	to := sc.run(urlSet|dot|tilde, i+1)
	if from := i - 5; to-i >= 32 && to-i <= 36 && sc.boundary(from) && mixed(s[i:to]) {
		return found{from: from, to: to, kind: "Azure client secret"}
	}
	return found{}
}

// telegram returns the end of a bot token of Telegram at i: the bot's number, a colon
// and 35 characters that begin with AA ("Authorizing your bot"). 0 for none.
func (sc *scanner) telegram(i int) int {
	if class[sc.s[i]] != digit {
		return 0
	}
	colon := i
	for colon < len(sc.s) && colon < i+12 && class[sc.s[colon]] == digit {
		colon++
	}
	if colon < i+8 || !strings.HasPrefix(sc.s[colon:], ":AA") {
		return 0
	}
	if to := sc.run(urlSet, colon+1); to == colon+36 {
		return to
	}
	return 0
}

// discord matches a bot token of Discord at i (detect-secrets, discord.py): the bot's
// number in base64, a time of 6 characters and a signature of 27 to 38.
func (sc *scanner) discord(i int) found {
	first := sc.run(urlSet, i)
	if first-i < 24 || first-i > 28 || !strings.HasPrefix(sc.s[first:], ".") {
		return found{}
	}
	second := sc.run(urlSet, first+1)
	if second != first+7 || !strings.HasPrefix(sc.s[second:], ".") {
		return found{}
	}
	to := sc.run(urlSet, second+1)
	if n := to - second - 1; n < 27 || n > 38 || !varied(sc.s[i:to]) {
		return found{}
	}
	return found{from: i, to: to, kind: "Discord token"}
}

// privateKey matches a private key in PEM (RFC 7468), OpenSSH's and OpenPGP's too. Where the end
// is missing, as in output that was cut off, it matches the lines of base64.
func (sc *scanner) privateKey(i int) found {
	const longestHeader, longest = 72, 1 << 16
	head := sc.s[i:min(len(sc.s), i+longestHeader)]
	label := head[len("-----BEGIN "):]
	dashes := strings.Index(label, "-----")
	if dashes < 0 || !strings.Contains(label[:dashes], "PRIVATE KEY") {
		return found{}
	}
	from := i + len("-----BEGIN ") + dashes + 5
	rest := sc.s[from:min(len(sc.s), from+longest)]
	f := found{from: i, kind: "private key"}
	if next := strings.Index(rest, "-----BEGIN "); next >= 0 {
		rest = rest[:next]
	}
	if end := strings.Index(rest, "-----END "); end >= 0 {
		closing := rest[end+9 : min(len(rest), end+longestHeader)]
		if dashes := strings.Index(closing, "-----"); dashes >= 0 {
			f.to = from + end + 9 + dashes + 5
			return f
		}
	}
	f.to = sc.pastLines(from)
	return f
}

// pastLines returns the end of the lines of base64 from a position on, which may be numbered or quoted.
func (sc *scanner) pastLines(from int) int {
	end := from
	for end < len(sc.s) {
		line := end
		for line < len(sc.s) && strings.IndexByte(" \t\r\n>+", sc.s[line]) >= 0 {
			line++
		}
		if to := sc.run(digit, line); to > line && to < len(sc.s) && (sc.s[to] == '\t' || sc.s[to] == '|') {
			line = to + 1
		}
		for strings.HasPrefix(sc.s[line:], `\`) { // \n in JSON, at any depth
			line = pastEscapes(sc.s, line)
		}
		to := sc.run(base64Set|equals, line)
		if to-line < 16 {
			break
		}
		end = to
	}
	return end
}

// pastEscapes returns where a sequence of backslashes and the letter after it ends.
func pastEscapes(s string, i int) int {
	for i < len(s) && s[i] == '\\' {
		i++
	}
	return min(i+1, len(s))
}

// varied reports whether a text has at least eight different characters, five if it is
// short; a placeholder has fewer.
func varied(s string) bool {
	var seen [256]bool
	n := 0
	for i := 0; i < len(s) && n < 8; i++ {
		if c := s[i]; !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n >= 8 || n >= 5 && len(s) < 16
}

// looksRandom reports whether a text has a long part without separators that is [mixed], as
// words are not.
func looksRandom(s string) bool {
	const part = 12
	from := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && class[s[i]]&(dash|underscore|dot|slash) == 0 {
			continue
		}
		if i-from >= part && mixed(s[from:i]) {
			return true
		}
		from = i + 1
	}
	return len(s) >= 20 && digits(s) >= 3 && mixed(s)
}

// mixed reports whether a text has letters and digits, or many capitals after small letters.
func mixed(s string) bool {
	var letters, numbers bool
	humps := 0 // capitals after a small letter
	for i := range len(s) {
		switch c := class[s[i]]; {
		case c == digit:
			numbers = true
		case c&(lower|upper) != 0:
			letters = true
			if c&upper != 0 && i > 0 && class[s[i-1]]&lower != 0 {
				humps++
			}
		}
	}
	return letters && (numbers || humps > len(s)/8)
}

// digits counts the digits of a text.
func digits(s string) (n int) {
	for i := range len(s) {
		if class[s[i]] == digit {
			n++
		}
	}
	return n
}
