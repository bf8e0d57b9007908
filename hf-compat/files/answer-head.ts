/** What HEAD of a file answers: `huggingface_hub` reads there what it keeps the file under, and where the bytes are. */

/**
 * 302 to `address`, or 200, with or without it as `Location`; `origins` are those by which the hub is reached. Pure.
 *
 * `huggingface_hub` 2 follows a redirect to the same host name, whatever the port, and then misses `X-Repo-Commit` in
 * the answer of the store: so HEAD is no redirect there. It also sends its key to that host name. The hub's own disk
 * store ignores a key, but S3 refuses one beside a signed URL: a store of another port stays unnamed, and the client
 * finds it by the redirect of its GET, which drops the key. Another host name gets no key: the redirect names it.
 */
export function answerHead(address: string, origins: readonly string[]): { code: 200 | 302; location?: string } {
  const store = new URL(address)
  const near = origins.map((origin) => new URL(origin)).filter(({ hostname }) => hostname === store.hostname)
  if (near.length === 0) return { code: 302, location: address }
  return near.some(({ origin }) => origin === store.origin) ? { code: 200, location: address } : { code: 200 }
}
