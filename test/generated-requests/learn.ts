/** What later requests know from an answer, and what is done on the side so that the deeper operations have something to work on. */
import { allOperations } from '../contract/support/documented.ts'
import type { contractHub, Json } from '../contract/support/hub.ts'
import type { Dice } from './dice.ts'
import type { Lab } from './lab.ts'
import { type Got, type Made, send } from './send.ts'

const MOST_BODIES = 12
const claims = /^(?:claim|start)(?:Next)?(?:Run|RobotCheck|Endpoint)$/
const pathOf = new Map(allOperations.map(({ operation, path }) => [operation.operationId, path]))

export async function learnFrom(lab: Lab, made: Made, got: Got): Promise<void> {
  const { things } = lab
  const etag = got.headers.get('etag')
  if (etag) things.add('etag', etag)
  if (got.status >= 300 || got.json === null) return
  things.learn(got.json)
  const body = bodyOf(made)
  const caller = lab.named(made.caller)
  if (body && made.operation !== 'completeUpload' && (made.body?.length ?? 0) < 4000)
    remember(lab, made.operation, body)
  const id = got.json.id ?? got.json.run?.id ?? got.json.check?.id ?? got.json.endpoint?.id
  if (claims.test(made.operation) && typeof id === 'string') lab.claimers.set(id, caller)
  if (made.operation === 'createSnapshot' && typeof got.json.name === 'string') things.add('snapshot', got.json.name)
  if (made.operation === 'presignUpload') await sendParts(lab, made, got.json, body)
}

const bodyOf = ({ body }: Made): Json => {
  try {
    return typeof body === 'string' ? JSON.parse(body) : null
  } catch {
    return null
  }
}

function remember(lab: Lab, operation: string, body: Json): void {
  const known = lab.goodBodies.get(operation) ?? []
  lab.goodBodies.set(operation, known)
  // The first ones are of the lab.
  if (known.length >= MOST_BODIES) known.splice(5, 1)
  known.push(body)
}

/** Sends the bytes of what was presigned, so that it can be completed. */
async function sendParts(lab: Lab, made: Made, answer: Json, body: Json): Promise<void> {
  const template = pathOf.get(made.operation)?.split('/') ?? []
  const at = made.path.split('/')
  const repo = `${at[template.indexOf('{owner}')]}/${at[template.indexOf('{repo}')]}`
  for (const target of answer.uploads.slice(0, 3)) {
    const file = body?.files.find(({ path }: Json) => path === target.path)
    const content = lab.contents.find(({ sha256 }) => sha256 === file?.sha256)
    if (!content || target.parts.length !== 1) continue
    const url = new URL(target.parts[0].url)
    const sent = await send(lab.url, {
      ...made,
      operation: 'putPart',
      method: 'PUT',
      path: url.pathname,
      query: [...url.searchParams].map(([name, value]) => [name, encodeURIComponent(value)] as const),
      headers: {},
      body: content.text,
    })
    const etag = sent.headers.get('etag')
    if (!etag) continue
    const upload = { path: target.path, upload_id: target.upload_id, parts: [{ part_number: 1, etag }] }
    lab.things.add('sent upload', { repo, caller: lab.named(made.caller), upload })
  }
}

/** Work for the operations that need more than one request before them. Done every so many requests. */
export async function doChores(lab: Lab, hub: ReturnType<typeof contractHub>, dice: Dice): Promise<void> {
  const { things } = lab
  const token = (name: string) => lab.named(name).headers.authorization?.replace('Bearer ', '') ?? ''
  const owner = token('owner')
  const graph = async (text: string, input: Json): Promise<Json> => (await hub.graphql(owner, text, { input })).data
  const userCode = things.pick('user_code', dice)
  if (userCode)
    await graph('mutation ($input: ApproveDeviceLoginInput!) { approveDeviceLogin(input: $input) { __typename } }', {
      userCode,
    })
  const hosted = { recipe: { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1 } }
  const held = await hub.call(token('agent key'), 'POST', '/v1/runs', hosted)
  things.learn(held.json)
  const deviceId = things.pick('dev', dice)
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const endpoints = await hub.call(owner, 'GET', '/v1/endpoints?status=running')
  const endpointId = endpoints.json.items[0]?.id
  if (!deviceId || !endpointId) return
  const text =
    'mutation ($input: ApproveEndpointSessionInput!) { approveEndpointSession(input: $input) { token approval { id } } }'
  const minted = (await graph(text, { endpointId, deviceId, expiresAt }))?.approveEndpointSession
  if (minted) things.add('approved', { endpointId, deviceId, token: minted.token })
}
