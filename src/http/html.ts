/** Small HTML pages: no script, one inline style sheet that the policy allows by hash. */
import { hash } from 'node:crypto'

const style = `
:root { color-scheme: light dark; --dim: #667; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; margin: 1.8rem 0 .3rem; }
li { margin: .35rem 0; } span, .dim { color: var(--dim); }
code { font: .92em ui-monospace, monospace; } table { border-collapse: collapse; } td, th { padding: .25rem .9rem .25rem 0; text-align: left; vertical-align: top; }
`

const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

/** A complete page around `body` (trusted HTML), and its Content-Security-Policy. */
export function page(title: string, body: string): { html: string; policy: string } {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style>`
  return { html: `<!doctype html>\n<html lang="en"><head>${head}</head>\n<body>\n${body}\n</body></html>\n`, policy }
}

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
