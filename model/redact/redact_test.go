package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	numbers      = "0123456789"
	letters      = lowerLetters + upperLetters + numbers
	urlLetters   = letters + "-_"
	hexLetters   = "0123456789abcdef"
	base32       = upperLetters + "234567"
)

// invented makes up secrets; none of them has ever been one. Prefixes are in parts, so that
// scanners of this repository see none either.
type invented struct{ *rand.Rand }

func (g invented) of(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[g.IntN(len(set))]
	}
	return string(b)
}

func (g invented) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func (g invented) segment(v string) string { return base64.RawURLEncoding.EncodeToString([]byte(v)) }

func (g invented) webToken() string {
	return g.segment(`{"alg":"HS256","typ":"JWT"}`) + "." + g.segment(fmt.Sprintf(`{"sub":"%s","iat":%d}`, g.of(letters, 12), g.IntN(1e9))) + "." + g.of(urlLetters, 43)
}

func (g invented) privateKey(kind string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "PRIV" + "ATE KEY-----\n")
	text := base64.StdEncoding.EncodeToString(g.bytes(600 + g.IntN(600)))
	for len(text) > 0 {
		n := min(64, len(text))
		b.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return b.String() + "-----END " + kind + "PRIV" + "ATE KEY-----"
}

// secrets makes one secret of each kind.
func (g invented) secrets() map[string]string {
	return map[string]string{
		"GitHub":        "gh" + "p_" + g.of(letters, 36),
		"GitHub app":    "gh" + "s_" + g.of(letters, 36),
		"GitHub fine":   "github" + "_pat_" + g.of(letters, 22) + "_" + g.of(letters, 59),
		"GitLab":        "gl" + "pat-" + g.of(urlLetters, 20),
		"OpenAI":        "s" + "k-" + g.of(letters, 20) + "T3Blbk" + "FJ" + g.of(letters, 20),
		"OpenAI 2":      "s" + "k-proj-" + g.of(urlLetters, 74) + "T3Blbk" + "FJ" + g.of(urlLetters, 74),
		"Anthropic":     "sk-" + "ant-api03-" + g.of(urlLetters, 93) + "AA",
		"OpenRouter":    "sk-" + "or-v1-" + g.of(hexLetters, 64),
		"DeepSeek":      "s" + "k-" + g.of(hexLetters, 32),
		"Hugging Face":  "h" + "f_" + g.of(lowerLetters+upperLetters, 34),
		"Groq":          "gs" + "k_" + g.of(letters, 52),
		"xAI":           "xa" + "i-" + g.of(letters, 80),
		"Perplexity":    "ppl" + "x-" + g.of(letters, 48),
		"Replicate":     "r" + "8_" + g.of(letters, 37),
		"Tavily":        "tv" + "ly-" + g.of(letters, 32),
		"Firecrawl":     "f" + "c-" + g.of(hexLetters, 32),
		"ElevenLabs":    "s" + "k_" + g.of(hexLetters, 48),
		"AWS":           "AK" + "IA" + g.of(base32, 16),
		"AWS session":   "AS" + "IA" + g.of(base32, 16),
		"Google":        "AI" + "za" + g.of(urlLetters, 35),
		"Google client": "GOC" + "SPX-" + g.of(urlLetters, 28),
		"Slack bot":     "xo" + "xb-" + g.of(numbers, 12) + "-" + g.of(numbers, 12) + "-" + g.of(letters, 24),
		"Slack hook":    "https://hooks.sl" + "ack.com/services/T" + g.of(upperLetters+numbers, 8) + "/B" + g.of(upperLetters+numbers, 8) + "/" + g.of(letters, 24),
		"Stripe":        "sk" + "_live_" + g.of(letters, 24),
		"SendGrid":      "S" + "G." + g.of(urlLetters, 22) + "." + g.of(urlLetters, 43),
		"Twilio":        "S" + "K" + g.of(hexLetters, 32),
		"npm":           "np" + "m_" + g.of(letters, 36),
		"PyPI":          "py" + "pi-AgEIcHlwaS5vcmc" + g.of(urlLetters, 150),
		"DigitalOcean":  "do" + "p_v1_" + g.of(hexLetters, 64),
		"Docker":        "dckr" + "_pat_" + g.of(urlLetters, 27),
		"Linear":        "lin" + "_api_" + g.of(letters, 40),
		"Notion":        "nt" + "n_" + g.of(letters, 46),
		"Vault":         "hv" + "s." + g.of(urlLetters, 90),
		"Shopify":       "shp" + "at_" + g.of(hexLetters, 32),
		"Databricks":    "da" + "pi" + g.of(hexLetters, 32),
		"Grafana":       "gl" + "sa_" + g.of(letters, 32) + "_" + g.of(hexLetters, 8),
		"age":           "AGE-SEC" + "RET-KEY-1" + g.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
		"Telegram":      g.of("123456789", 10) + ":A" + "A" + g.of(urlLetters, 33),
		"Discord":       "M" + "T" + g.of(letters, 24) + "." + g.of(urlLetters, 6) + "." + g.of(urlLetters, 38),
		"JWT":           g.webToken(),
		"RSA":           g.privateKey("RSA "),
		"OpenSSH":       g.privateKey("OPENSSH "),
		"PKCS8":         g.privateKey(""),
	}
}

// planted returns lines with a secret in the middle, which a name, a header or a URL tells.
func (g invented) planted() map[string][3]string {
	key, pass := g.of(letters, 20+g.IntN(30)), g.of(letters+"!#%*+.", 8+g.IntN(10))+g.of(numbers, 1)
	uuid := fmt.Sprintf("%x-%x-%x-%x-%x", g.bytes(4), g.bytes(2), g.bytes(2), g.bytes(2), g.bytes(6))
	aws := g.of(letters+"/+", 40)
	return map[string][3]string{
		"export":              {"export ACME_API_K" + "EY=", key, "\n./run"},
		"export, quoted":      {`export X_K` + `EY="`, key, `"`},
		"export, uuid":        {"export FAL_K" + "EY=", uuid, "\n"},
		".env":                {"DB_HOST=db\nDB_PASS" + "WORD=", pass, "\nDB_PORT=5432"},
		"AWS":                 {"aws_secret_access_k" + "ey = ", aws, "\nregion = eu"},
		"YAML":                {"client:\n  client_sec" + "ret: ", key, "\n  id: 5"},
		"YAML, quoted":        {"  passw" + "ord: '", pass, "'"},
		"JSON":                {`{"user": "ada", "passw` + `ord": "`, pass, `", "n": 1}`},
		"JSON key":            {`{"apiK` + `ey":"`, key, `"}`},
		"Python":              {`client = Client(api_k` + `ey="`, key, `")`},
		"Python type":         {`to` + `ken: str = "`, key, `"`},
		"Go":                  {`	passw` + `ord := "`, pass, `"`},
		"environ":             {`os.environ["SERVICE_TO` + `KEN"] = "`, key, `"`},
		"bearer":              {`curl -H "Authoriz` + `ation: Bearer `, key, `" https://api.example.org`},
		"basic":               {"Authoriz" + "ation: Basic ", base64.StdEncoding.EncodeToString([]byte("ada:" + pass)), "\r\nHost: x"},
		"bearer alone":        {"send Bear" + "er ", key + "7", " with it"},
		"x-api-key":           {"-H 'x-api-k" + "ey: ", key, "' -d @f"},
		"cookie":              {"Cook" + "ie: ", "sid=" + key + "; theme=dark", "\nHost: x"},
		"URL":                 {"postgres://ada:", pass[:8], "@db.example.org:5432/larder"},
		"URL without user":    {"redis://:", key, "@cache:6379/0"},
		"git URL":             {"git clone https://", key + "8", "@git.example.org/a/b"},
		"query":               {"GET /v1?access_to" + "ken=", key, "&page=2"},
		"query key":           {"https://maps.example.org/x?ke" + "y=", key + "9x", "&q=1"},
		"signed":              {"https://s3.example.org/a?X-Amz-Signature=", g.of(hexLetters, 64), " "},
		"option":              {"tool login --pass" + "word ", pass, " --host x"},
		"option token":        {"gh auth --with-to" + "ken ", key + "1", ""},
		"curl -u":             {"curl -u ada:", pass, " https://example.org"},
		"sshpass":             {"sshpass -p ", pass, " ssh ada@host"},
		"mysql":               {"mysql -u root -p", key, " larder"},
		"XML":                 {"<passw" + "ord>", pass, "</password>"},
		"connection string":   {"DefaultEndpointsProtocol=https;AccountName=a;AccountK" + "ey=", base64.StdEncoding.EncodeToString(g.bytes(64)), ";EndpointSuffix=x"},
		".npmrc":              {"//registry.example.org/:_authTo" + "ken=", key, "\n"},
		"prose":               {"The passw" + "ord: ", pass, " (do not tell)"},
		"prose API key":       {"API k" + "ey: ", key + "4", "\n"},
		"Terraform":           {`  secret_k` + `ey = "`, key, `"`},
		"Ruby":                {`:passw` + `ord => "`, pass, `"`},
		"npm config":          {"set SERVICE_SEC" + "RET=", key, "\r\n"},
		"Dockerfile":          {"ENV TO" + "KEN=", key, "\nRUN x"},
		"JavaScript":          {"const authTo" + "ken = '", key, "';"},
		"number in JSON":      {`{"passw` + `ord": `, g.of("123456789", 8), `}`},
		"compose":             {"      - POSTGRES_PASS" + "WORD=", pass, "\n      - A=b"},
		"connection password": {"Server=db;User Id=sa;Passw" + "ord=", key, ";Encrypt=true"},
	}
}

// nested puts a text as a string into JSON so many times.
func nested(t testing.TB, s string, depth int) string {
	for range depth {
		b, err := json.Marshal(map[string]string{"command": s})
		if err != nil {
			t.Fatal(err)
		}
		s = string(b)
	}
	return s
}

// At least 98 of 100 planted secrets are found, in prose, and in JSON of any depth, which stays JSON.
func TestPlantedSecretsAreFound(t *testing.T) {
	t.Parallel()
	g := invented{rand.New(rand.NewPCG(1, 2))}
	all, missed := 0, map[string]int{}
	check := func(name, before, value, after string) {
		for depth := range 3 {
			all++
			text := nested(t, before+value+after, depth)
			counts := Counts{}
			got := Rules{}.Text(text, counts)
			plain := got
			for range depth {
				var m map[string]string
				if err := json.Unmarshal([]byte(plain), &m); err != nil {
					t.Fatalf("%s at depth %d is no JSON: %s", name, depth, got)
				}
				plain = m["command"]
			}
			for _, part := range strings.Fields(value) {
				if n := min(len(part), 8); n == 8 && (strings.Contains(plain, part[len(part)/2-4:][:n]) || strings.Contains(plain, part[len(part)-n:])) {
					missed[name]++
					break
				}
			}
			if !strings.HasPrefix(plain, before) && depth == 0 && !strings.Contains(before, "number") {
				if m, _, _ := strings.Cut(plain, maskStart); !strings.HasPrefix(before, strings.TrimSuffix(m, `"`)) {
					t.Errorf("%s: text before the secret changed: %q", name, plain)
				}
			}
		}
	}
	for range 4 {
		for name, value := range g.secrets() {
			for _, around := range [][2]string{{"", ""}, {"Use ", " please."}, {"(", ")"}, {"key\n", "\n"}, {"a\tb: ", ", and"}, {"https://x/", "/y"}} {
				check(name, around[0], value, around[1])
			}
		}
		for name, p := range g.planted() {
			check(name, p[0], p[1], p[2])
		}
	}
	n := 0
	for _, k := range missed {
		n += k
	}
	t.Logf("%d of %d planted secrets found", all-n, all)
	if n*100 > all*2 {
		t.Errorf("missed %d of %d: %v", n, all, missed)
	}
}

// Less than one of 100 ordinary ids, hashes and pictures is taken for a secret.
func TestOrdinaryIDsStay(t *testing.T) {
	t.Parallel()
	g := invented{rand.New(rand.NewPCG(3, 4))}
	ordinary := map[string]func() string{
		"git id":    func() string { return g.of(hexLetters, 40) },
		"short id":  func() string { return g.of(hexLetters, 7+g.IntN(5)) },
		"SHA-256":   func() string { return hex.EncodeToString(g.bytes(32)) },
		"SHA-512":   func() string { return hex.EncodeToString(g.bytes(64)) },
		"integrity": func() string { return "sha512-" + base64.StdEncoding.EncodeToString(g.bytes(64)) },
		"go.sum":    func() string { return "h1:" + base64.StdEncoding.EncodeToString(g.bytes(32)) },
		"digest":    func() string { return "sha256:" + hex.EncodeToString(g.bytes(32)) },
		"UUID": func() string {
			return fmt.Sprintf("%x-%x-%x-%x-%x", g.bytes(4), g.bytes(2), g.bytes(2), g.bytes(2), g.bytes(6))
		},
		"session id": func() string {
			return fmt.Sprintf("20260%d%02d_%06d_%s", 1+g.IntN(9), 10+g.IntN(18), g.IntN(240000), g.of(hexLetters, 6))
		},
		"call id":     func() string { return "call_" + g.of(letters, 24) },
		"tool use id": func() string { return "toolu_" + g.of(letters, 24) },
		"response id": func() string { return "chatcmpl-" + g.of(letters, 29) },
		"ULID":        func() string { return g.of("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26) },
		"picture":     func() string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString(g.bytes(3000)) },
		"base64":      func() string { return base64.StdEncoding.EncodeToString(g.bytes(3000)) },
		"base64 line": func() string { return base64.StdEncoding.EncodeToString(g.bytes(57)) },
		"number":      func() string { return g.of(numbers, 4+g.IntN(12)) },
		"version": func() string {
			return fmt.Sprintf("v%d.%d.%d-0.20260101-%s", g.IntN(9), g.IntN(30), g.IntN(9), g.of(hexLetters, 12))
		},
		"path": func() string { return "/usr/lib/" + g.of(letters, 10) + "/" + g.of(lowerLetters, 20) + ".go" },
		"URL":  func() string { return "https://example.org/" + g.of(hexLetters, 32) + "?id=" + g.of(letters, 22) },
		"time": func() string { return "2026-07-0" + g.of("123456789", 1) + "T09:15:" + g.of("012345", 2) + "Z" },
	}
	around := [][2]string{{"", ""}, {"commit ", "\n"}, {"id: ", ""}, {`"id": "`, `",`}, {"checksum = ", ""}, {"key=", ""}, {`{"etag": "`, `"}`}, {"at ", ", then"}, {"(", ")"}, {"digest: ", "\n"}, {"session_id=", " "}, {`"hash":"`, `"}`}, {"x/", "/y"}, {"max_tokens: ", ""}}
	all, masked := 0, map[string]int{}
	for range 12 {
		for name, value := range ordinary {
			for _, a := range around {
				all++
				text, counts := a[0]+value()+a[1], Counts{}
				if got := (Rules{}).Text(text, counts); got != text {
					masked[name]++
					t.Logf("%s: %.200s → %.200s", name, text, got)
				}
			}
		}
	}
	n := 0
	for _, k := range masked {
		n += k
	}
	t.Logf("%d of %d ordinary values masked", n, all)
	if n*100 >= all {
		t.Errorf("masked %d of %d: %v", n, all, masked)
	}
}

// What programs and documents say about secrets stays as it is.
func TestTalkAboutSecretsStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The token is read from os.environ, the password from a prompt.",
		"max_tokens: 4096, total_tokens=81920, token_count = 12",
		`"usage": {"input_tokens": 1234567890, "output_tokens": 99}`,
		"api_key = os.getenv('ACME_KEY')", `apiKey: process.env.ACME_KEY,`, "export ACME_KEY=$OTHER", `TOKEN="${TOKEN}"`, "API_KEY=<your key>",
		`password: "********"`, "password = user.password", "token = get_token(request)", "token := r.Header.Get(name)",
		"def login(user: str, password: str) -> Token:", `<input type="password" name="password" placeholder="Password">`,
		"if password != confirm { return }", "secret: ${{ secrets.DEPLOY }}", `PASSWORD=changeme`, "Authorization: Bearer $TOKEN", `headers={"Authorization": f"Bearer {token}"}`,
		"sk-learn and sk-circle-fade-dot", "hf_hub_download(repo)", "npm_config_registry=https://registry.example.org", "re_compile_pattern_with_words",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
		"git@example.org:a/b.git", "https://example.org:8080/a@b", "http://user:$PASS@host/", "ssh ada@host -p 2222",
		"SELECT * FROM t WHERE PRIMARY_KEY=5", "cache_key = user:5:profile", "PWD=/srv/larder", "Passwords: none are stored.", "keyboard: qwertz12", "next_page_token=CAUQAA123456789",
		"token: Optional[str] = None", "--token-file /run/x", "--password-stdin", "Set the password: it must have 8 characters.", "monkey: banana123",
		"Redacted: [redacted: GitHub token]", "eyJ is how a JWT begins", "The bearer of bad news", "git commit -m 'token: refresh it'", "secret = load_secret(path)", "key, token, secret, password",
	} {
		counts := Counts{}
		if got := (Rules{}).Text(text, counts); got != text || len(counts) > 0 {
			t.Errorf("%q → %q", text, got)
		}
	}
}

func TestWhatIsMasked(t *testing.T) {
	t.Parallel()
	own := []Pattern{{Name: "customer", Expr: regexp.MustCompile(`C-[0-9]{6}`)}, {Name: "all of it", Expr: regexp.MustCompile(`secretly.*`)}}
	token := "gh" + "p_" + strings.Repeat("aB3dE5gH7", 4)
	for _, c := range []struct{ name, text, want, counts string }{
		{"nothing", "just words", "just words", "nothing"},
		{"twice", token + " and " + token, "[redacted: GitHub token] and [redacted: GitHub token]", "GitHub token: 2"},
		{"the better name", "GITHUB_TOKEN=" + token, "GITHUB_TOKEN=[redacted: GitHub token]", "GitHub token: 1"},
		{"after a color", "\x1b[32m" + token + "\x1b[0m", "\x1b[32m[redacted: GitHub token]\x1b[0m", "GitHub token: 1"},
		{"addresses", "Write to ada@example.org, or <bo.b+x@mail.example.com>.", "Write to [redacted: e-mail address], or <[redacted: e-mail address]>.", "e-mail address: 2"},
		{"no addresses", "git@example.org:a.git icon@2x.png pkg@1.2.3 @ada a@b", "git@example.org:a.git icon@2x.png pkg@1.2.3 @ada a@b", "nothing"},
		{"an address after an escape", `{"a":"x\nada@example.org"}`, `{"a":"x\n[redacted: e-mail address]"}`, "e-mail address: 1"},
		{"homes", "cd /home/ada/larder; ls /Users/ada.b/x '/home/ada' file:///home/ada/y", "cd [redacted: home folder]/larder; ls [redacted: home folder]/x '[redacted: home folder]' file://[redacted: home folder]/y", "home folder: 4"},
		{"homes of Windows", `C:\Users\ada\x and "d:\\Users\\ada\\y" and /c/Users/ada/z`, `[redacted: home folder]\x and "[redacted: home folder]\\y" and /c[redacted: home folder]/z`, "home folder: 3"},
		{"no homes", "https://example.org/home/page /homes/x /home/ /Users/Shared/x", "https://example.org/home/page /homes/x /home/ /Users/Shared/x", "nothing"},
		{"own patterns", "order of C-123456", "order of [redacted: customer]", "customer: 1"},
		{"an own pattern over a token", "C-123456" + " x", "[redacted: customer] x", "customer: 1"},
		{"an own pattern across the end of a string", `{"a": "b secretly so", "n": 1}`, `{"a": "b [redacted: all of it]", "n": 1}`, "all of it: 1"},
		{"a key that was cut off", "-----BEGIN PRIV" + "ATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n\nand then words", "[redacted: private key]\n\nand then words", "private key: 1"},
		{"a password in a URL", "see https://ada:hunter22@example.org/x", "see https://ada:[redacted: password in URL]@example.org/x", "password in URL: 1"},
	} {
		counts := Counts{}
		if got := (Rules{Emails: true, Paths: true, Own: own}).Text(c.text, counts); got != c.want || counts.String() != c.counts {
			t.Errorf("%s: %q (%s), want %q (%s)", c.name, got, counts, c.want, c.counts)
		}
	}
}

// What is masked once is left alone the second time.
func TestMasksAreStable(t *testing.T) {
	t.Parallel()
	g, all := invented{rand.New(rand.NewPCG(5, 6))}, Rules{Emails: true, Paths: true}
	for name, p := range g.planted() {
		once := all.Text(p[0]+p[1]+p[2], Counts{})
		if twice := all.Text(once, Counts{}); twice != once {
			t.Errorf("%s: %q, then %q", name, once, twice)
		}
	}
}

func TestMessagesAndRows(t *testing.T) {
	t.Parallel()
	token, all := "gh"+"p_"+strings.Repeat("aB3dE5gH7", 4), (Rules{}).Masker()
	m := model.Message{SessionID: "s", Content: model.Content{Text: token}, Reasoning: token, Calls: []model.ToolCall{{ID: "c", Arguments: `{"a":"` + token + `"}`}}}
	got := all.Message(m)
	if all.Counts["GitHub token"] != 3 || strings.Contains(fmt.Sprintf("%+v", got), token) || m.Calls[0].Arguments == got.Calls[0].Arguments || got.SessionID != "s" || got.Calls[0].ID != "c" {
		t.Errorf("%+v %v", got, all.Counts)
	}
	row := pyjson.Object{
		{Name: "session_id", Value: token},
		{Name: "id", Value: int64(5)},
		{Name: "content", Value: token},
		{Name: "system_prompt_hash", Value: token},
		{Name: "tool_calls", Value: []any{pyjson.Object{{Name: "id", Value: token}, {Name: "arguments", Value: `{"pass` + `word": "hunter22"}`}}}},
		{Name: "config", Value: pyjson.Object{{Name: "api_key", Value: "abcdefgh12345678"}}},
	}
	const want = `{"session_id": "T", "id": 5, "content": "[redacted: GitHub token]", "system_prompt_hash": "T", "tool_calls": [{"id": "T", "arguments": "{\"password\": \"[redacted: password]\"}"}], "config": {"api_key": "[redacted: key]"}}`
	if got := strings.ReplaceAll(string(pyjson.Append(nil, all.Record(row))), token, "T"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := all.Text("\x00json:[{\"text\":\""+token+"\"}]"), "\x00json:[{\"text\":\"[redacted: GitHub token]\"}]"; got != want {
		t.Errorf("%q", got)
	}
}

// Texts that begin as many secrets do and never end as one take no more than linear time.
func TestHostileTextsAreQuick(t *testing.T) {
	t.Parallel()
	const size = 1 << 18
	for _, part := range []string{"eyJ-", "eyJaaaaaaaaaaaa.eyJ-", "sk-", "password=", `password="x`, "-----BEGIN PRIV" + "ATE KEY-----\n", "a@", "://a:", `"password": "\"`, "token: \\", "/+", "AKIA/", "--password ", "/home/", "\\", "curl -u ", ";base64,", "12345678:", "glpat-.", "xoxd-%"} {
		text := strings.Repeat(part, size/len(part))
		began := time.Now()
		(Rules{Emails: true, Paths: true}).Text(text, Counts{})
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%q: %v for 256 kB", part, took)
		}
	}
}

func FuzzJSONStaysJSON(f *testing.F) {
	g := invented{rand.New(rand.NewPCG(7, 8))}
	for _, p := range g.planted() {
		f.Add(p[0] + p[1] + p[2])
	}
	f.Add(`{"password": 12345678, "token": null, "a": "\"b\\"}`)
	f.Add("\\nada@example.org \\u0041C:\\\\Users\\\\ada\\n/home/ada\\")
	f.Fuzz(func(t *testing.T, s string) {
		all := Rules{Emails: true, Paths: true}
		for depth := range 3 {
			text := nested(t, s, depth)
			if got := all.Text(text, Counts{}); json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
				t.Fatalf("%q → %q", text, got)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	line := "The quick brown fox: jumps over the lazy dog (\"hello\": 5) and returns err != nil; see https://example.org/a/b.\n"
	text := strings.Repeat(line, 24<<20/len(line))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		(Rules{Emails: true, Paths: true}).Text(text, Counts{})
	}
}
