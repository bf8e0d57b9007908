/**
 * The line above GraphiQL: who asks, a key to ask with instead, and the examples. Without a framework: it is part of a
 * page that has one of its own.
 */
import { escapeHtml } from '../html.ts'
import { examples, variablesText } from './examples.ts'

/** On a phone GraphiQL's title lay over its tabs and its answer was 22 px wide: without the one, the other stands below. */
export const barStyle = `
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; }
#root { flex: 1; min-height: 0; }
#root .graphiql-container { height: 100%; width: 100%; }
#hub { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1rem; padding: .4rem .9rem; font: 14px/1.5 system-ui, sans-serif;
  background: Canvas; color: CanvasText; border-bottom: 1px solid color-mix(in srgb, CanvasText 20%,
    transparent); color-scheme: light; }
@media (prefers-color-scheme: dark) { body:not(.graphiql-light) #hub { color-scheme: dark; } }
body.graphiql-dark #hub { color-scheme: dark; }
#hub a { color: LinkText; } #hub button, #hub input,
  #hub select { font: inherit; } #hub input { width: 15rem; max-width: 50vw; }
#hub-who { margin-left: auto; }
#hub form { display: flex; gap: .4rem; }
@media (max-width: 640px) {
  #root .graphiql-logo { display: none; }
  #root #graphiql-session { flex-direction: column; }
  #root #graphiql-session > .graphiql-horizontal-drag-bar { display: none; }
  #root .graphiql-sessions, #root #graphiql-session, #root #graphiql-session > * { min-width: 0; }
}
`

/** `signIn` is the path of a page that signs in and comes back. */
export function barHtml(signIn: string): string {
  const options = examples.map(({ title }, place) => `<option value="${place}">${escapeHtml(title)}</option>`).join('')
  return `<header id="hub">
    <a href="/">Hub</a>
    <label>Examples <select id="hub-examples"><option value="">open one…</option>${options}</select></label>
    <span id="hub-who" role="status">…</span>
    <a id="hub-sign-in" href="${escapeHtml(signIn)}" hidden>Sign in</a>
    <button id="hub-sign-out" type="button" hidden>Sign out</button>
    <form id="hub-key-form"><input id="hub-key" type="password" autocomplete="off" spellcheck="false" aria-label="API key to ask with"
      placeholder="API key, for this page only"><button id="hub-key-set">Use key</button></form>
  </header>`
}

const tabs = examples.map((example) => ({ query: example.query, variables: variablesText(example) }))

/**
 * Runs before GraphiQL. The key stays in memory: it is gone with the page, and nothing stores it. It goes along with
 * requests to the hub's own paths alone, unless the tab sets `Authorization` itself. An example is opened through what
 * GraphiQL keeps of the last tab: it adds that tab, or finds it open.
 */
export const barScript = `(() => {
  const $ = (id) => document.getElementById(id)
  const examples = ${JSON.stringify(tabs)}
  let key = ''
  const plainFetch = window.fetch.bind(window)
  window.fetch = (target, init = {}) => {
    const url = new URL(target instanceof Request ? target.url : target, location.href)
    const isHub = url.origin === location.origin && /^\\/graphql(\\/stream)?$/.test(url.pathname)
    const headers = new Headers(init.headers ?? (target instanceof Request ? target.headers : {}))
    if (key === '' || !isHub || headers.has('authorization')) return plainFetch(target, init)
    headers.set('authorization', 'Bearer ' + key)
    return plainFetch(target, { ...init, headers })
  }
  async function showWho() {
    const query = '{ viewer { kind name account { handle } } }'
    const ask = () => window.fetch('/graphql', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }),
    })
    let response = await ask()
    // The hub has deleted the cookie of a session that ended.
    if (response.status === 401 && key === '') response = await ask()
    const { data, errors } = await response.json().catch(() => ({}))
    const viewer = data?.viewer
    const isSession = viewer?.kind === 'SESSION'
    const isUnknown = response.status === 401 || errors?.[0].extensions?.status === 401
    $('hub-who').textContent = isUnknown && key !== '' ? 'This key is unknown, expired or revoked.'
      : isUnknown ? 'Not signed in: public repos only.'
      : !viewer ? errors?.[0].message ?? 'The hub did not answer.'
      : isSession ? 'Signed in as ' + viewer.account.handle : 'Key ' + viewer.name + ' of ' + viewer.account.handle
    $('hub-sign-in').hidden = Boolean(viewer) || key !== ''
    $('hub-sign-out').hidden = !isSession || key !== ''
  }
  $('hub-key-form').addEventListener('submit', (event) => {
    event.preventDefault()
    key = key === '' ? $('hub-key').value.trim() : ''
    $('hub-key').value = ''
    $('hub-key').hidden = key !== ''
    $('hub-key-set').textContent = key === '' ? 'Use key' : 'Forget key'
    void showWho()
  })
  $('hub-sign-out').addEventListener('click', async () => {
    await plainFetch('/auth/logout', { method: 'POST' })
    location.reload()
  })
  $('hub-examples').addEventListener('change', (event) => {
    const example = examples[event.target.value]
    if (!example) return
    for (const [name, value] of Object.entries(example)) localStorage.setItem('graphiql:' + name, value)
    location.assign('/graphql')
  })
  // Of its first tab GraphiQL shows the variables that it has kept, and on a first visit it has none.
  if (!localStorage.getItem('graphiql:tabState') && !location.search)
    localStorage.setItem('graphiql:variables', examples[0].variables)
  void showWho()
})()`
