/** What operations need that come late: made on the side, with what each of them is then sent. */
import { Header } from 'tar'
import { FAILED_QUEUE } from '../../src/store/failed-queue.ts'
import { aReport } from '../checks/support/dataset-reports.ts'
import { png } from '../films/support/film-hub.ts'
import { rolloutsOf } from '../rollouts/support.ts'
import { type contractHub, type Json, newName, type Person, sha256Of } from '../support/hub.ts'
import { passkeys } from '../support/passkeys.ts'
import { PASSWORD, passwords } from '../support/passwords.ts'
import type { Caller, Lab } from './lab.ts'

type Hub = ReturnType<typeof contractHub>

/** Who sends it, and of what: of the path and of the body, in the words of `/v1`, or the arguments of a query of the graph. */
export interface Ready {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly body: Json
}

/** The newest of an operation or root field. */
export const readyFor = (lab: Lab, name: string): Ready | undefined => lab.things.newest<Ready>(`ready ${name}`)

export const tokenOf = ({ headers }: Caller): string => headers.authorization?.replace('Bearer ', '') ?? ''

const split = (repo: string) => {
  const [owner = '', slug = ''] = repo.split('/')
  return { owner, repo: slug }
}
const base64 = (text: string) => Buffer.from(text).toString('base64')
/** A tar archive of one file. */
function archiveOf(text: string): Buffer {
  const header = Buffer.alloc(512)
  new Header({ path: 'a', size: text.length, mode: 0o644, type: 'File' }).encode(header)
  const blocks = Buffer.alloc(3 * 512)
  blocks.write(text)
  return Buffer.concat([header, blocks])
}
/** `meta/info.json` of a data set of eight episodes. */
const info = JSON.stringify({ codebase_version: 'v2.1', fps: 30, total_episodes: 8, total_frames: 80, features: {} })
const aRunReport = { log_chunk: 'one\ntwo\n', config_yaml: 'lr: 1\n', metrics: [{ step: 1, reward: 2 }] }
const map = { version: 1, joints: [{ from: 'a', to: 'b', sign: 1, scale: 1, offset: 0 }], held: [], dropped: [] }

/** What the makers below work with: calls that the hub accepts, and the note of what is ready. */
function workOf(lab: Lab, hub: Hub) {
  const [owner, worker] = [lab.named('owner'), lab.named('write key')]
  const call = async (who: Caller, method: string, path: string, body?: Json): Promise<Json> => {
    const { status, json } = await hub.call(tokenOf(who), method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
    lab.things.learn(json)
    return json
  }
  return {
    ...{ lab, hub, owner, worker },
    post: (path: string, body: Json, who = owner) => call(who, 'POST', path, body),
    put: (path: string, body: Json, who = owner) => call(who, 'PUT', path, body),
    get: (path: string, who = owner) => call(who, 'GET', path),
    ready: (name: string, params: Ready['params'], body: Json = undefined, caller = owner) =>
      lab.things.add(`ready ${name}`, { caller, params, body } satisfies Ready),
    async repo(kind = 'dataset', files: Readonly<Record<string, string>> = {}): Promise<string> {
      const made = await call(owner, 'POST', '/v1/repos', { kind, slug: newName('ready') })
      if (Object.keys(files).length > 0) await hub.upload(tokenOf(owner), made.full_name, files)
      return made.full_name
    },
  }
}
type Work = ReturnType<typeof workOf>

async function films({ hub, worker, post, ready, repo }: Work): Promise<void> {
  const [dataset, robot] = [await repo(), await repo('robot')]
  const path = `/v1/repos/${dataset}/episode-films`
  const ask = (episode: number) => ({ kind: 'still', episode, robot })
  const size = { size: png.length, sha256: sha256Of(png) }
  // What was asked for before waits in front of these: each claim takes the oldest.
  const claimed = async (episode: number): Promise<Json> => {
    const { id } = await post(path, ask(episode))
    for (;;) {
      const film = await post('/v1/episode-films/claim-next', { worker: 'box' }, worker)
      if (film.id === id) return film
    }
  }
  const sent = async (episode: number): Promise<Json> => {
    const film = await claimed(episode)
    const { url } = await post(`${path}/${film.id}/upload`, { attempt: film.attempt, ...size }, worker)
    await hub.put(url, new Uint8Array(png))
    return film
  }
  const made = async (episode: number): Promise<Json> => {
    const { id, attempt } = await sent(episode)
    return post(`${path}/${id}/report`, { attempt, status: 'succeeded' }, worker)
  }
  const of = ({ id }: Json) => ({ ...split(dataset), film_id: id })
  ready('requestEpisodeFilm', split(dataset), ask(7))
  const [empty, full] = [await claimed(1), await sent(2)]
  ready('presignEpisodeFilm', of(empty), { attempt: empty.attempt, ...size }, worker)
  ready('reportEpisodeFilm', of(full), { attempt: full.attempt, status: 'succeeded' }, worker)
  ready('deleteEpisodeFilm', of(await made(3)))
  ready('getEpisodeFilmFile', of(await made(4)))
}

async function checksOfDatasets({ worker, post, ready, repo }: Work): Promise<void> {
  const claimed = async (): Promise<Json> => {
    const dataset = await repo('dataset', { 'meta/info.json': info })
    await post(`/v1/repos/${dataset}/dataset-check`, {})
    for (;;) {
      const check = await post('/v1/dataset-checks/claim-next', { worker: 'box' }, worker)
      if (check.repo === dataset) return check
    }
  }
  const report = ({ attempt }: Json) => ({ attempt, status: 'succeeded', report: aReport })
  const [open, ended] = [await claimed(), await claimed()]
  ready('reportDatasetCheck', split(open.repo), report(open), worker)
  await post(`/v1/repos/${ended.repo}/dataset-check/report`, report(ended), worker)
  ready('getDatasetCheck', split(ended.repo))
  ready('requestDatasetCheck', split(await repo('dataset', { 'meta/info.json': info })), {})
}

async function episodes({ post, ready, repo }: Work): Promise<void> {
  const dataset = await repo('dataset', { 'meta/info.json': info })
  const { labels } = await post(`/v1/repos/${dataset}/episode-labels`, { episodes: [1], choice: 'drop' })
  ready('labelEpisodes', split(dataset), { episodes: [2], choice: 'keep' })
  ready('undoEpisodeLabels', split(dataset), { labels: labels.map(({ id }: Json) => id) })
  ready('createEpisodeSelection', split(dataset), { name: newName('clean'), drop: '3' })
}

async function maps({ put, ready, repo }: Work): Promise<void> {
  const [dataset, robot] = [await repo(), await repo('robot')]
  await put(`/v1/repos/${dataset}/joint-maps`, { robot, if_version: 0, map })
  ready('reviewJointMap', split(dataset), { robot, version: 1 })
  ready('putJointMap', split(await repo()), { robot, if_version: 0, map })
}

async function rollouts({ lab, hub, owner, ready, put }: Work): Promise<void> {
  const { model, robot, bodyOf } = rolloutsOf(hub)
  const who: Person = { id: '', handle: lab.names.owner, token: tokenOf(owner) }
  const [from, on] = [await model(who), await robot(who)]
  const path = `/v1/repos/${from.repo}/rollouts`
  const [one, other] = [await put(path, bodyOf(from, on)), await put(path, bodyOf(from, on))]
  const of = { ...split(from.repo), rollout_id: one.id }
  lab.things.add('other rollout', other.id)
  ready('publishRollouts', split(from.repo), bodyOf(from, on))
  ready('putRolloutGate', split(from.repo), { robot: on.repo, fingerprint: one.fingerprint, least: 0.5, seeds: 3 })
  ready('getRolloutBoard', { ...split(on.repo), fingerprint: one.fingerprint })
  for (const name of ['listRolloutOutcomes', 'getRolloutEpisodes']) ready(name, of)
  ready('listRolloutDifferences', of)
}

async function contents({ hub, post, ready, repo }: Work): Promise<void> {
  const name = await repo('dataset', { 'a.txt': 'a' })
  const text = newName('bytes')
  const named = { sha256: sha256Of(text), size: text.length }
  const { blobs } = await post(`/v1/repos/${name}/blobs/presign`, { blobs: [named] })
  const { upload } = blobs[0]
  const sent = await hub.put(upload.parts[0].url, text)
  const parts = [{ part_number: 1, etag: sent.headers.get('etag') }]
  ready('completeBlobs', split(name), { uploads: [{ upload_id: upload.upload_id, parts }] })
  ready('storeBlobs', split(name), { contents: [base64(newName('stored'))] })
  ready('presignBlobs', split(name), { blobs: [{ sha256: sha256Of(newName()), size: 9 }] })
  ready('presignDownload', split(name), { paths: ['a.txt'] })
  ready('linkFiles', split(name), { files: [{ path: 'b.txt', sha256: sha256Of('a'), size: 1 }] })
  ready('storeArchive', split(name), archiveOf(newName('archived')))
  ready('restoreState', split(name), { at: '1' })
  ready('fileHistory', {}, { ...ownerAndSlug(name), path: 'a.txt' })
  ready('resolveFile', { ...split(name), path: 'a.txt' })
}

const ownerAndSlug = (name: string) => {
  const { owner, repo: slug } = split(name)
  return { owner, slug }
}

async function repos({ lab, post, ready, repo }: Work): Promise<void> {
  const moved = await repo()
  await post(`/v1/repos/${moved}/move`, { slug: newName('moved') })
  const there = await repo()
  ready('movedRepo', {}, ownerAndSlug(moved))
  const { owner, slug } = ownerAndSlug(lab.names.robot)
  ready('repoNamed', {}, { owner, name: slug })
  ready('robotCard', {}, { owner, slug })
  ready('getRobotCard', split(lab.names.robot))
  ready('moveRepo', split(there), { slug: newName('moved') })
  ready('createRepo', {}, { kind: 'dataset', slug: newName('made') })
  ready('updateRepo', split(lab.names.robot), { description: 'another' })
  ready('registerDevice', {}, { name: newName('arm') })
  ready('listUsingRepos', split(lab.names.robot))
}

async function endedRuns({ lab, post, ready, repo }: Work): Promise<void> {
  const claimer = lab.named('train key')
  const made = async (): Promise<string> => {
    const { id } = await post('/v1/runs', { recipe: { template: 'act' } })
    await post(`/v1/runs/${id}/claim`, { worker: 'box' }, claimer)
    return id
  }
  const output = await repo('model', { 'checkpoints/step_40/policy.onnx': 'weights' })
  const [run, other] = [await made(), await made()]
  await post(`/v1/runs/${run}/report`, { ...aRunReport, output_model_repo: output }, claimer)
  ready('promoteCheckpoint', { run_id: run }, { step: 40, repo: `${lab.names.owner}/${newName('walker')}` })
  const media = [{ key: 'note', step: 1, kind: 'text', value: 'one' }]
  ready('recordRunMedia', { run_id: run }, { media }, claimer)
  ready('getRunConfig', { run_id: run })
  for (const name of ['runLog', 'runMetrics']) ready(name, {}, { runId: run })
  await post(`/v1/runs/${other}/report`, { status: 'failed', error: 'e' }, claimer)
  ready('deleteRun', { run_id: other })
}

/** What people and the operator do in the graph alone, with people of whom the callers are none. */
async function people({ lab, hub, ready }: Work): Promise<void> {
  const operator = lab.named('operator')
  const [spare, disabled, enabled] = [await hub.person(), await hub.person(), await hub.person()]
  const asPerson: Caller = { name: 'spare person', headers: { authorization: `Bearer ${spare.token}` } }
  const { newDevice, begin, inputOf, addTo } = passkeys(hub)
  const [named, removed] = [await addTo(spare), await addTo(spare)]
  const { newPasskey } = (await begin(spare)).data
  const made: Json = inputOf(newPasskey.ceremony, newDevice().create(newPasskey.options as Json))
  ready(
    'addPasskey',
    {},
    {
      ...{ ceremony: made.ceremony, name: newName('laptop'), transports: made.transports },
      ...{ client_data_json: made.clientDataJson, attestation_object: made.attestationObject },
    },
    asPerson,
  )
  ready('renamePasskey', {}, { id: named, name: 'desk' }, asPerson)
  ready('removePasskey', {}, { id: removed }, asPerson)
  ready('setPassword', {}, { password: PASSWORD }, asPerson)
  const { token } = await passwords(hub).person()
  ready('ownPassword', {}, {}, { name: 'person with a password', headers: { authorization: `Bearer ${token}` } })
  ready('updateProfile', {}, { name: 'Spare' }, asPerson)
  const graph = async (text: string, input: Json): Promise<Json> => {
    const { data, errors } = (await hub.graphql(tokenOf(operator), text as string, { input })) as Json
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
  const invite = 'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { id } }'
  const disable = 'mutation ($input: DisableUserInput!) { disableUser(input: $input) { user { disabledAt } } }'
  const { createInvitation } = await graph(invite, {})
  ready('createInvitation', {}, {}, operator)
  ready('withdrawInvitation', {}, { id: createInvitation.id }, operator)
  ready('createResetLink', {}, { user: spare.handle }, operator)
  ready('disableUser', {}, { user: disabled.handle }, operator)
  await graph(disable, { user: enabled.handle })
  ready('enableUser', {}, { user: enabled.handle }, operator)
  // The run is not there, so the job succeeds when it is sent again.
  const [job] = await hub.sql<{ id: string }>(
    `insert into pgboss.job (name, data, output, source_name, source_id, source_created_on, source_retry_count, keep_until)
     values ($1, '{"runId": "run_gone"}', '{"message": "no luck"}', 'run-purge', gen_random_uuid(), now(), 2,
       now() + interval '1 day') returning id::text`,
    [FAILED_QUEUE],
  )
  ready('retryFailedJob', {}, { id: job?.id }, operator)
  for (const name of ['accountStorage', 'failedJobs', 'hubFindings', 'hubStorage', 'users'])
    ready(name, {}, {}, operator)
}

const makers = [films, checksOfDatasets, episodes, maps, rollouts, contents, repos, endedRuns, people]

/** The work of all subjects the first time, then of one after another. */
export async function makeReady(lab: Lab, hub: Hub): Promise<void> {
  const work = workOf(lab, hub)
  const turn = lab.turns.ready
  lab.turns.ready += 1
  const due = turn === 0 ? makers : [makers[turn % makers.length] as (typeof makers)[number]]
  for (const make of due) await make(work)
}
