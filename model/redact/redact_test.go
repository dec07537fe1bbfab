package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/cputime"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

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
	g := fixtures.Invent(1, 2)
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
			if fixtures.Survives(value, plain) {
				missed[name]++
			}
			if !strings.HasPrefix(plain, before) && depth == 0 && !strings.Contains(before, "number") {
				if m, _, _ := strings.Cut(plain, maskStart); !strings.HasPrefix(before, strings.TrimSuffix(m, `"`)) {
					t.Errorf("%s: text before the secret changed: %q", name, plain)
				}
			}
		}
	}
	for range 4 {
		for name, value := range g.Secrets() {
			for _, around := range [][2]string{{"", ""}, {"Use ", " please."}, {"(", ")"}, {"key\n", "\n"}, {"a\tb: ", ", and"}, {"https://x/", "/y"}} {
				check(name, around[0], value, around[1])
			}
		}
		for name, p := range g.Planted() {
			check(name, p[0], p[1], p[2])
		}
	}
	n := 0
	for _, k := range missed {
		n += k
	}
	t.Logf("%d of %d planted secrets found, missed %v", all-n, all, missed)
	if n*100 > all*2 {
		t.Errorf("missed %d of %d: %v", n, all, missed)
	}
}

// Less than one of 100 ordinary ids, hashes and pictures is taken for a secret.
func TestOrdinaryIDsStay(t *testing.T) {
	t.Parallel()
	g := fixtures.Invent(3, 4)
	ordinary := map[string]func() string{
		"git id":    func() string { return g.Of(fixtures.Hex, 40) },
		"short id":  func() string { return g.Of(fixtures.Hex, 7+g.IntN(5)) },
		"SHA-256":   func() string { return hex.EncodeToString(g.Bytes(32)) },
		"SHA-512":   func() string { return hex.EncodeToString(g.Bytes(64)) },
		"integrity": func() string { return "sha512-" + base64.StdEncoding.EncodeToString(g.Bytes(64)) },
		"go.sum":    func() string { return "h1:" + base64.StdEncoding.EncodeToString(g.Bytes(32)) },
		"digest":    func() string { return "sha256:" + hex.EncodeToString(g.Bytes(32)) },
		"UUID": func() string {
			return fmt.Sprintf("%x-%x-%x-%x-%x", g.Bytes(4), g.Bytes(2), g.Bytes(2), g.Bytes(2), g.Bytes(6))
		},
		"session id": func() string {
			return fmt.Sprintf("20260%d%02d_%06d_%s", 1+g.IntN(9), 10+g.IntN(18), g.IntN(240000), g.Of(fixtures.Hex, 6))
		},
		"call id":     func() string { return "call_" + g.Of(fixtures.Letters, 24) },
		"tool use id": func() string { return "toolu_" + g.Of(fixtures.Letters, 24) },
		"response id": func() string { return "chatcmpl-" + g.Of(fixtures.Letters, 29) },
		"ULID":        func() string { return g.Of("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26) },
		"picture":     func() string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString(g.Bytes(3000)) },
		"base64":      func() string { return base64.StdEncoding.EncodeToString(g.Bytes(3000)) },
		"base64 line": func() string { return base64.StdEncoding.EncodeToString(g.Bytes(57)) },
		"number":      func() string { return g.Of(fixtures.Digits, 4+g.IntN(12)) },
		"version": func() string {
			return fmt.Sprintf("v%d.%d.%d-0.20260101-%s", g.IntN(9), g.IntN(30), g.IntN(9), g.Of(fixtures.Hex, 12))
		},
		"path": func() string {
			return "/usr/lib/" + g.Of(fixtures.Letters, 10) + "/" + g.Of(fixtures.Lower, 20) + ".go"
		},
		"URL": func() string {
			return "https://example.org/" + g.Of(fixtures.Hex, 32) + "?id=" + g.Of(fixtures.Letters, 22)
		},
		"time": func() string { return "2026-07-0" + g.Of("123456789", 1) + "T09:15:" + g.Of("012345", 2) + "Z" },
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
		"aws_access_key_id = AKIAIOSFODNN7EXAMPLE", "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxx", "postgres://user:password@localhost/db mysql://user:<password>@host/db", "Cookie: theme=dark; lang=en",
		"password VARCHAR(255) NOT NULL", `password = data.vault.db.data["password"]`, "WHERE password = crypt($1, password)", "secret = base64.b64encode(key)", "password: !vault |", "password=%DB_PASSWORD%", "mysql -p3306",
		"--- PASS: TestRedact/password (0.00s)", "root:*:19000:0:99999:7:::", "grep -w password file.txt", "echo done1234 | sudo tee x", "| token | string | required |", `os.getenv("TOKEN", "")`, `t("password", "Password")`,
		"IDENTIFIED BY ?", "treat the input as the password", "Password for user postgres:", `<string name="password">Password</string>`, "costs $6$ or $1$", "root@tcp(localhost:3306)/x", "https://x.org:8080/@ada/post", "password to the archive", "fe80:5432:a:b: c",
		"Redacted: [redacted: GitHub token]", "eyJ is how a JWT begins", "The bearer of bad news", "git commit -m 'token: refresh it'", "secret = load_secret(path)", "key, token, secret, password",
		`password: "Enter your password"`, `errors = {"password": "is too short"}`, "htpasswd -c /etc/x ada", "htpasswd /etc/x ada", "PASS TestSecretKey", "password=#{ENV['X']}", "OPENAI_API_KEY=sk-your-key-here", "INSERT INTO t (id, password) VALUES (?, ?)", "INSERT INTO t (password_id) VALUES ('abc12345')",
		"jwt.verify(token, publicKey)", `getPassword("db/larder1")`, "git config user.signingkey 8M2VH5LBWMN4V9UT", "token: getNextTokenValue", "data:\n  theme: dark12345\nkind: ConfigMap\n", "seed: 42", "the seed users are ada and bob", "令牌数量：5", "密码错误", "if password or 'x' in y", "credentials: same-origin",
		`{name: "ConcatShiftBytesRightGroupedUint8x32", n: 2}`, "if !s.ReadUint16LengthPrefixed(&out) {", `append(env, "PWD="+dir2)`, "Password       *uint16", "5. **Calculate Token Usage**: 3",
		`"etag": "q8Zr2LmN4vXw7PbT1yKd6HsJ3cFg9QaE"`, `sum("q8Zr2LmN4vXw7PbT1yKd6HsJ3cFg9QaEe5b0c4d1a9")` + " of a row", "otpauth://totp/x?issuer=y", "12345|67890", "API-DOCUMENTATION",
		"an ecdsa.PrivateKey or ed25519.PrivateKey", "if sig == sigPerThreadSyscall12345 {", "pw := &PipeWriter{r: PipeReader{pipe: p12345}}",
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
		{"a block of YAML, a tag with attributes, a type of Rust", "client_secret: >-\n  pZ7kQ2vX9cL4mN8bT1wY\nid: 5 <entry key=\"db.password\">pZ7kQ2vX9</entry> let api_secret: &str = \"pZ7kQ2vX9cL4mN8bT1wY\";", "client_secret: >-\n  [redacted: secret]\nid: 5 <entry key=\"db.password\">[redacted: password]</entry> let api_secret: &str = \"[redacted: secret]\";", "secret: 2, password: 1"},
		{"a recovery phrase", "seed phrase: olive drama kite hover ranch sunset glide magic pilot frozen river castle\nnext", "seed phrase: [redacted: recovery phrase]\nnext", "recovery phrase: 1"},
		{"a numbered phrase", "Recovery phrase:\n1. olive\n2. drama\n3. kite\n4. hover\n5. ranch\n6. sunset\n7. glide\n8. magic\n9. pilot\n10. frozen\n11. river\n12. castle\n", "Recovery phrase:\n[redacted: recovery phrase]\n", "recovery phrase: 1"},
		{"columns of a command", "Key         Value\npassword    aB3dE5gH7jK9\npassword    required    pam_unix.so", "Key         Value\npassword    [redacted: password]\npassword    required    pam_unix.so", "password: 1"},
		{"a password after -p and before a space", "mysql -u root -ppePwdP8DWb larder", "mysql -u root -p[redacted: password] larder", "password: 1"},
		{"passwords that begin with a star", "postgres://ada:*5unbEGM@db/larder PASSWORD=*5unbEGM", "postgres://ada:[redacted: password in URL]@db/larder PASSWORD=[redacted: password]", "password: 1, password in URL: 1"},
		{"an ampersand in a password", "DB_PASSWORD=tr0ub&dor3 mysql -ptr0ub&dor3 shop", "DB_PASSWORD=[redacted: password] mysql -p[redacted: password] shop", "password: 2"},
		{"an ampersand after a password", "PASSWORD=tr0ubdor3&user=ada&x=1 PASSWORD=tr0ubdor3&& make <p>password: tr0ubdor3&lt;/p>", "PASSWORD=[redacted: password]&user=ada&x=1 PASSWORD=[redacted: password]&& make <p>password: [redacted: password]&lt;/p>", "password: 3"},
		{"a line of .netrc", "machine example.org login ada password tr0ubdor3", "machine example.org login ada password [redacted: password]", "password: 1"},
		{"a password in prose", "My password is tr0ubdor3, the password is required", "My password is [redacted: password], the password is required", "password: 1"},
		{"variables without an equals sign", "setx DB_PASSWORD tr0ubdor3\nset -gx DB_PASSWORD tr0ubdor3\nset -x EDITOR vi", "setx DB_PASSWORD [redacted: password]\nset -gx DB_PASSWORD [redacted: password]\nset -x EDITOR vi", "password: 2"},
		{"options of commands", "redis-cli -a tr0ubdor3 ping; docker login -u ada -p tr0ubdor3\nopenssl rsa -passin pass:tr0ubdor3", "redis-cli -a [redacted: password] ping; docker login -u ada -p [redacted: password]\nopenssl rsa -passin pass:[redacted: password]", "password: 3"},
		{"-u on a line after curl", "curl \\\n  -u ada:aB3dE5gH7jK9 https://example.org; docker run -u 1000:1000 -u ada:staff", "curl \\\n  -u ada:[redacted: password] https://example.org; docker run -u 1000:1000 -u ada:staff", "password: 1"},
		{"a key in prose", "The API key is aB3dE5gH7jK9, use token aB3dE5gH7jK9; a token is read, the token 3 times", "The API key is [redacted: key], use token [redacted: token]; a token is read, the token 3 times", "key: 1, token: 1"},
		{"a named value", "- name: DB_PASSWORD\n  value: tr0ubdor3\n- name: EDITOR\n  value: tr0ubdor3", "- name: DB_PASSWORD\n  value: [redacted: password]\n- name: EDITOR\n  value: tr0ubdor3", "password: 1"},
		{"a short token in a URL", "https://example.org/hook?token=aB3dE5gH7#a", "https://example.org/hook?token=[redacted: token]#a", "token: 1"},
		{"a secret of a repository", "gh secret set DEPLOY --body tr0ubdor3 && gh pr create --body fixes12345", "gh secret set DEPLOY --body [redacted: password] && gh pr create --body fixes12345", "password: 1"},
		{"a pair of name and password", "get(u, auth=('bob', 'tr0ubdor3')) or HTTPBasicAuth; auth = HTTPBasicAuth(\"bob\",\"tr0ubdor3\") auth=(user, password) auth=('bob', '')", "get(u, auth=('bob', '[redacted: password]')) or HTTPBasicAuth; auth = HTTPBasicAuth(\"bob\",\"[redacted: password]\") auth=(user, password) auth=('bob', '')", "password: 2"},
		{"a remark after the name", "Password (temporary): tr0ubdor3\npassword (string): required, def password(x): y12345", "Password (temporary): [redacted: password]\npassword (string): required, def password(x): y12345", "password: 1"},
		{"other languages", "contraseña: tr0ubdor3\nMot de passe : tr0ubdor3\nпароль: tr0ubdor3\n密码: tr0ubdor3\nKennwort: tr0ubdor3\nSenha: tr0ubdor3\nпароль: требуется", "contraseña: [redacted: password]\nMot de passe : [redacted: password]\nпароль: [redacted: password]\n密码: [redacted: password]\nKennwort: [redacted: password]\nSenha: [redacted: password]\nпароль: требуется", "password: 6"},
		{"a random text in quotes", `connect("q8Zr2LmN4vXw7PbT1yKd6HsJ3cFg9QaE") commit "0a9f3c1b7d5e2846aa90cc17bd3e55f0812d4f6b"`, `connect("[redacted: random text]") commit "0a9f3c1b7d5e2846aa90cc17bd3e55f0812d4f6b"`, "random text: 1"},
		{"the secret of a one-time password", "otpauth://totp/x:ada?sec" + "ret=JBSWY3DPEHPK3PXP&issuer=x", "otpauth://totp/x:ada?sec" + "ret=[redacted: one-time password secret]&issuer=x", "one-time password secret: 1"},
		{"a kind of its own", "s" + ".iyNUhq8Ov4hIAx6snw5mB2nL, _gitlab_sess" + "ion=0a9f3c1b7d5e2846aa90cc17bd3e55f0", "[redacted: Vault token], _gitlab_sess" + "ion=[redacted: GitLab session]", "GitLab session: 1, Vault token: 1"},
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
	g, all := fixtures.Invent(5, 6), Rules{Emails: true, Paths: true}
	for name, p := range g.Planted() {
		once := all.Text(p[0]+p[1]+p[2], Counts{})
		if twice := all.Text(once, Counts{}); twice != once {
			t.Errorf("%s: %q, then %q", name, once, twice)
		}
	}
}

// A preview is cut anywhere, which leaves beginnings of secrets that no rule knows.
func TestPreviewsHaveNoPartOfASecret(t *testing.T) {
	t.Parallel()
	g, all := fixtures.Invent(9, 10), (Rules{}).Masker()
	own := Rules{Own: []Pattern{{Name: "customer", Expr: regexp.MustCompile(`customer [A-Z][a-z]+ [A-Z][a-z]+`)}}}.Masker()
	tries, missed := 0, map[string]int{}
	try := func(name, before, secret, after string) {
		for n := range 60 {
			tries++
			filler := strings.Repeat("x ", n/2) + strings.Repeat(" ", n%2)
			c := all.Conversation(model.Conversation{Preview: model.Preview(filler + before + secret + after)})
			if fixtures.Survives(secret, c.Preview) {
				missed[name]++
			}
		}
	}
	for name, secret := range g.Secrets() {
		try(name, "Use ", secret, " please.")
	}
	for name, p := range g.Planted() {
		try(name, p[0], p[1], p[2])
	}
	n := 0
	for _, k := range missed {
		n += k
	}
	if n*100 > tries*2 {
		t.Errorf("%d of %d have a part of a secret: %v", n, tries, missed)
	}
	for _, c := range []struct{ text, want string }{
		{"all of it", "all of it"},
		{"the end of this is a word that the preview of Hermes has cut in two", "the end of this is a word that the preview of Hermes has ..."},
		{strings.Repeat("部署", 40), strings.Repeat("部署", 30) + "..."},
		{strings.Repeat("a", 80), ""},
	} {
		if got := all.Conversation(model.Conversation{Preview: model.Preview(c.text)}).Preview; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := own.Conversation(model.Conversation{Preview: model.Preview("what does the contract say about the customer Ada Lovelace of London")}).Preview; got != "" {
		t.Errorf("a pattern of several words: %q", got)
	}
}

func TestMessagesAndRows(t *testing.T) {
	t.Parallel()
	token, all := "gh"+"p_"+strings.Repeat("aB3dE5gH7", 4), (Rules{}).Masker()
	m := model.Message{SessionID: "s", Content: model.Content{Text: token}, Reasoning: token, ToolName: token, Calls: []model.ToolCall{{ID: "c", Name: token, Arguments: `{"a":"` + token + `"}`}}}
	got := all.Message(m)
	if all.Counts["GitHub token"] != 5 || strings.Contains(fmt.Sprintf("%+v", got), token) || m.Calls[0].Arguments == got.Calls[0].Arguments || got.SessionID != "s" || got.Calls[0].ID != "c" {
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
	size := campaign.Length(1<<16, 1<<18)
	for _, part := range []string{
		"eyJ-", "eyJaaaaaaaaaaaa.eyJ-", "sk-", "password=", `password="x`, "-----BEGIN PRIV" + "ATE KEY-----\n", "a@", "://a:", `"password": "\"`, "token: \\", "/+", "AKIA/", "--password ", "/home/", "\\", "curl -u ", ";base64,", "12345678:", "glpat-.", "xoxd-%", "*:*:", "password:", "密码：", "password=response=", "echo ", " as ", "name: value: ", "a:b@tcp(", "$6$",
		"(a) VALUES (", "(password) values ('", "jwt.sign(a,", "setPassword(", "htpasswd -b ", "data:\n x", "stringData:\n  a: b\n", "variable \"", "password is ", "password or ", "seed: abc ", "seed:\n", "「", "-us1", "KL5", "[\"", "credentials: a/", "A_KEY = \"", "password: &a ",
	} {
		text := strings.Repeat(part, size/len(part))
		took := cputime.Of(func() { (Rules{Emails: true, Paths: true}).Text(text, Counts{}) })
		if took > 2*time.Second {
			t.Errorf("%q: %v for %d bytes", part, took, size)
		}
	}
}

func FuzzJSONStaysJSON(f *testing.F) {
	g := fixtures.Invent(7, 8)
	for _, p := range g.Planted() {
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
