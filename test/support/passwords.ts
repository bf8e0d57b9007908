/** Browsers that sign in with passwords. */
import { readCookie } from '../../src/auth/cookie.ts'
import type { contractHub, Person, Who } from './hub.ts'

type Hub = ReturnType<typeof contractHub>

export const PASSWORD = 'correct horse battery staple'

export function passwords(hub: Hub) {
  const post = (path: `/auth/${string}`, body: unknown, headers: Record<string, string> = {}) =>
    hub.send(null, 'POST', path, {
      headers: { 'content-type': 'application/json', origin: hub.running.url, ...headers },
      body: JSON.stringify(body),
    })
  const set = (who: Who, password: string, currentPassword: string | null = null) =>
    hub.graphql(
      who,
      `mutation ($password: String!, $currentPassword: String) {
        setPassword(input: { password: $password, currentPassword: $currentPassword }) { changedAt endedSessions }
      }`,
      { password, currentPassword },
    )
  const signIn = (handle: string, password: string, headers: Record<string, string> = {}) =>
    post('/auth/password', { handle, password }, headers)
  return {
    post,
    set,
    signIn,
    /** A person with a password. */
    async person(): Promise<Person> {
      const person = await hub.person()
      await set(person, PASSWORD)
      return person
    },
    /** What was counted of attempts is forgotten: all of a test come from one network. */
    forget: () => hub.sql('delete from sign_in_delays'),
    isValid: async (token: string) => (await hub.call(token, 'GET', '/v1/me')).status === 200,
  }
}

/** The value that an answer sets for a cookie; null if it sets none. */
export function cookieOf(answer: { readonly headers: Headers }, name: string): string | null {
  const values = answer.headers.getSetCookie().map((line) => readCookie(line, name))
  return values.find((value) => value !== null) ?? null
}
