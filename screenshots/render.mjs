// node render.mjs RAW HTML COLUMNS ROWS dark|light
//
// Makes a page that replays the bytes a program wrote to its terminal. The
// terminal is xterm.js from the node_modules of the working folder; the page
// carries all of it, so that a browser can draw it without a network.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , raw, html, columns, rows, scheme] = process.argv;
const part = (path) => readFileSync(join(process.cwd(), 'node_modules/@xterm', path), 'utf8');
const themes = {
  dark: { background: '#12161f', foreground: '#d8dee9', cursor: '#8fb8f6' },
  light: { background: '#ffffff', foreground: '#24292f', cursor: '#0a58b5' },
};
const theme = themes[scheme];

writeFileSync(html, `<!doctype html><meta charset="utf-8">
<style>${part('xterm/css/xterm.css')}
body { margin: 0; padding: 16px; background: ${theme.background}; display: inline-block }
.xterm-viewport { overflow: hidden !important }</style>
<div id="terminal"></div>
<script>${part('xterm/lib/xterm.js')}</script>
<script>${part('addon-unicode-graphemes/lib/addon-unicode-graphemes.js')}</script>
<script>
const terminal = new Terminal({
  cols: ${columns}, rows: ${rows}, fontSize: 16, scrollback: 0, cursorBlink: false, allowProposedApi: true,
  fontFamily: '"JetBrains Mono", "DejaVu Sans Mono", "Noto Sans Mono CJK JP", "Noto Color Emoji", monospace',
  theme: ${JSON.stringify(theme)},
});
terminal.loadAddon(new UnicodeGraphemesAddon.UnicodeGraphemesAddon());
terminal.unicode.activeVersion = '15-graphemes';
terminal.open(document.getElementById('terminal'));
terminal.write(Uint8Array.from(atob('${readFileSync(raw).toString('base64')}'), (c) => c.charCodeAt(0)));
</script>`);
