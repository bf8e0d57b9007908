/** Small HTML pages: no script, one inline style sheet that the policy allows by hash. */
import { hash } from 'node:crypto'

// The colors of web/src/ui/tokens.css: these pages belong to the same product.
const style = `
:root { color-scheme: light dark; --background: #f6f7f9; --surface: #fff; --raised: #eef0f4; --line: #dde1e8; --text: #16191f; --dim: #566070;
  --accent: #2f5bd8; --accent-text: #fff; --link: #2450c4; }
@media (prefers-color-scheme: dark) { :root { --background: #0f1216; --surface: #171b21; --raised: #212730; --line: #2d3541; --text: #e7eaf0; --dim: #9aa5b5;
  --accent: #5b86ff; --accent-text: #0b1020; --link: #8fb0ff; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; max-width: 46rem; margin: 2rem auto 3rem; padding: 0 1rem; background: var(--background); color: var(--text); }
header { margin-bottom: 1.5rem; } header a { display: inline-flex; align-items: center; gap: .5rem; font-weight: 650; color: var(--text); text-decoration: none; }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 1.5rem; overflow-wrap: anywhere; }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .75rem; letter-spacing: -.01em; } h2 { font-size: 1.1rem; margin: 1.8rem 0 .3rem; }
a { color: var(--link); } li { margin: .35rem 0; } span, .dim { color: var(--dim); }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, monospace; } table { border-collapse: collapse; margin-bottom: 1rem; }
td, th { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: top; } th { color: var(--dim); font-weight: 500; }
label { display: grid; gap: .3rem; font-weight: 550; margin-bottom: .75rem; }
input { font: inherit; color: var(--text); background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: .4rem .65rem; width: 100%; }
button, .button { display: inline-block; font: inherit; font-weight: 550; color: var(--text); background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: .4rem .8rem; cursor: pointer; text-decoration: none; }
.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text); } .actions { display: flex; flex-wrap: wrap; gap: .5rem; }
@media (max-width: 40rem) { tr, td, th { display: block; } tr { padding: .5rem 0; } td, th { padding: .1rem 0; overflow-wrap: anywhere; } }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`

const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

/** A complete page around `body` (trusted HTML), and its Content-Security-Policy. */
export function page(title: string, body: string): { html: string; policy: string } {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><link rel="icon" href="/favicon.svg"><style>${style}</style>`
  return { html: `<!doctype html>\n<html lang="en"><head>${head}</head>\n<body>\n${body}\n</body></html>\n`, policy }
}

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
