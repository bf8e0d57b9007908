/** People with passkeys. */
import { authenticator } from './authenticator.ts'
import type { Answer, contractHub, Json, Person, Who } from './hub.ts'
import { cookieOf } from './passwords.ts'

type Hub = ReturnType<typeof contractHub>
type Device = ReturnType<typeof authenticator>
type Cookies = Record<string, string>

export function passkeys(hub: Hub) {
  /** A new device. On loopback, browsers let pages of the name `localhost` alone use passkeys. */
  const newDevice = (settings: { counts?: boolean } = {}) =>
    authenticator(`http://localhost:${new URL(hub.running.url).port}`, settings)
  const post = (path: `/auth/${string}`, body: unknown, headers: Record<string, string> = {}) =>
    hub.send(null, 'POST', path, {
      headers: { 'content-type': 'application/json', origin: hub.running.url, ...headers },
      body: JSON.stringify(body),
    })
  const begin = (who: Who) => hub.graphql(who, '{ newPasskey { ceremony options } }')
  const add = (who: Who, input: Json) =>
    hub.graphql(
      who,
      'mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { passkey { id name host backedUp lastUsedAt } } }',
      { input },
    )
  const inputOf = (ceremony: string, made: ReturnType<Device['create']>, name = 'laptop') => {
    const { clientDataJSON: clientDataJson, ...rest } = made
    return { ceremony, name, clientDataJson, ...rest }
  }
  /** Begins a sign-in in a browser: the cookie that names it goes with the answer. */
  const start = async (headers: Record<string, string> = {}) => {
    const answer = await post('/auth/passkey/start', {}, headers)
    const cookie = `hub_passkey=${cookieOf(answer, 'hub_passkey')}`
    return { answer, cookie, ceremony: answer.json?.ceremony, options: answer.json?.options }
  }
  const finish = (
    begun: { ceremony: string; cookie: string },
    asserted: Json,
    { cookie = '', ...headers }: Cookies = {},
  ) =>
    post(
      '/auth/passkey',
      { ceremony: begun.ceremony, ...asserted },
      { ...headers, cookie: `${begun.cookie}; ${cookie}` },
    )
  /** Adds a passkey of the device in the person's session; its id. */
  const addTo = async (who: Person, device = newDevice(), name?: string): Promise<string> => {
    const { newPasskey } = (await begin(who)).data
    const { data, errors }: Json = await add(
      who,
      inputOf(newPasskey.ceremony, device.create(newPasskey.options as Json), name),
    )
    if (errors) throw new Error(JSON.stringify(errors))
    return data.addPasskey.passkey.id
  }
  return {
    newDevice,
    post,
    begin,
    add,
    inputOf,
    start,
    finish,
    addTo,
    async signIn(device: Device, headers: Record<string, string> = {}, other: Json = {}): Promise<Answer> {
      const begun = await start(headers)
      return finish(begun, device.get(begun.options, other), headers)
    },
    /** A person, and a device with their passkey. */
    async person(settings: { counts?: boolean } = {}) {
      const person = await hub.person()
      const device = newDevice(settings)
      return { person, device, id: await addTo(person, device) }
    },
    remove: (who: Who, id: string) =>
      hub.graphql(who, 'mutation ($id: ID!) { removePasskey(input: { id: $id }) { id } }', { id }),
    /** What was counted of attempts is forgotten: all of a test come from one network. */
    forget: () => hub.sql('delete from sign_in_delays'),
    isValid: async (token: string) => (await hub.call(token, 'GET', '/v1/me')).status === 200,
    meOf: async (answer: Answer): Promise<string> =>
      (await hub.call(cookieOf(answer, 'hub_session') ?? '', 'GET', '/v1/me')).json.account.handle,
  }
}

/** The kind of the first Problem of an answer of the graph. */
export const typeOf = ({ errors }: Json): string | undefined => errors?.[0]?.extensions.problem.type
