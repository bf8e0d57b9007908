/** What only a person may do: the refusal of a key says where the person does it. */
import { ProblemError } from '@hub/client/internal'
import { isKeyToken } from '@hub/formats/key-token'
import { pageOf, pagePath } from '@hub/formats/page-paths'
import type { Work } from './client-session.ts'

/** `page` as `hub open` takes it; the home page where it is none, such as for a wrong id. */
export function bySession(page: string, work: Work): Work {
  return (client, settings) =>
    work(client, settings).catch((error: unknown) => {
      const isRefused = error instanceof ProblemError && error.kind === 'forbidden.scope'
      // A person who is refused lacks a right, which no page gives.
      if (!isRefused || settings.token === null || !isKeyToken(settings.token)) throw error
      const address = `${settings.url.replace(/\/+$/, '')}${pageOf(page) ?? pagePath('home', {})}`
      throw new ProblemError(
        403,
        {
          type: error.type,
          title: error.title,
          detail: `${error.message} Do it on ${address}, or set HUB_TOKEN to the token of a session.`,
          errors: error.entries,
        },
        error.requestId,
      )
    })
}
