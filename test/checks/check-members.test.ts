/** Spec, "Robot check job": the members of a check in `/v1`, each of them always there, null where nothing is known. */
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf, goodReport } from '../support/checks.ts'
import { contractHub, type Json, type Person, places, sha256Of } from '../support/hub.ts'
import { cardText, goodIntake, publishing } from './support/publishing.ts'

const hub = contractHub()
const checks = checksOf(hub)
const { robotCheck, modelCheck, publish, shown, begin } = publishing(hub)
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

/** Names of members in order of the alphabet. */
const members = (value: Json) => Object.keys(value).toSorted()
const sorted = (text: string) => text.split(' ').toSorted()

const ofCheck = sorted(
  `id kind status robot_repo model_repo model intake entry base control_hz action options executor created_by created_at started_at finished_at
claimed_at heartbeat_at dispatched_at claimed_by hosted_call_id error sources_count sources_bytes drop log_tail report draft engine artifacts
publish_blockers published priced cost_usd`.replaceAll('\n', ' '),
)
const ofIntake = sorted(
  'policy_path policy_format policy_type embodiment stamped_by_check differing control_class embodiment_fingerprint robot_fingerprint summary manifest graph params source',
)

describe('a check', () => {
  it('has all members that the spec lists in every state, and `sources` in the answer to a claim alone', async () => {
    const robot = await checks.robot(ada)
    const id = await checks.queue(ada, robot)
    expect(members(await checks.read(ada, id))).toEqual(ofCheck)
    const claimed = await checks.post(ada, id, 'claim', { worker: 'box' })
    expect(members(claimed.json)).toEqual([...ofCheck, 'sources'].toSorted())
    expect(members(claimed.json.sources[0])).toEqual(sorted('path sha256 size url'))
    expect(members(await checks.report(ada, id, { status: 'failed', error: 'broke' }))).toEqual(ofCheck)
    const listed = await hub.call(ada, 'GET', `/v1/robot-checks?robot_repo=${robot}`)
    expect(members(listed.json)).toEqual(sorted('items next_cursor'))
    expect(members(listed.json.items[0])).toEqual(ofCheck)
  })

  it('is null in what nothing is known of yet, and counts nothing as done', async () => {
    const id = await checks.queue(ada, await checks.robot(ada))
    const { created_by, created_at, robot_repo, publish_blockers, ...rest } = await checks.read(ada, id)
    expect(created_by).toEqual({ id: ada.id, handle: ada.handle, name: created_by.name })
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(members(robot_repo)).toEqual(['full_name', 'id'])
    expect(publish_blockers).toHaveLength(1)
    const nothing = sorted(
      'model_repo model intake base options started_at finished_at claimed_at heartbeat_at dispatched_at claimed_by hosted_call_id error drop log_tail report draft engine published cost_usd',
    )
    expect(members(Object.fromEntries(Object.entries(rest).filter(([, value]) => value === null)))).toEqual(nothing)
    expect(rest.artifacts).toEqual([])
    expect(rest.priced).toBe(false)
  })

  it('shows `model`, `options` and `drop` as they were given, with every member of theirs', async () => {
    const draft = await hub.repo(ada, { kind: 'model' })
    const model = { repo: draft, hf_repo: 'org/name', control_class: 'skill' }
    const asked = { kind: 'model', model, drop: { files: 2 } }
    const made = await hub.call(ada, 'POST', '/v1/robot-checks', asked)
    expect(made.json.model).toEqual({ ...model, obs: null })
    expect(made.json.drop).toEqual({
      filename: null,
      zip_bytes: null,
      files: 2,
      unpacked_bytes: null,
      entry_candidates: null,
      refused: null,
      uploaded_files: null,
      uploaded_bytes: null,
      deduped_files: null,
      deduped_bytes: null,
    })
    expect([made.json.entry, made.json.control_hz, made.json.action, made.json.options]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  it('has the members of its report, draft, needs and artifacts', async () => {
    const card = cardText({ needs_you: [{ field: 'base', severity: 'advice', why: 'look' }] })
    const made = await robotCheck({
      artifacts: { 'robot_card.json': card },
      end: {
        report: { ...goodReport, checks: [{ code: 'mjcf.parses', status: 'pass', message: 'parses', names: [] }] },
        draft: { source: 'init' },
        engine: { name: 'mujoco', version: '3' },
      },
    })
    const { report, draft, artifacts, engine } = await shown(made)
    expect(report).toEqual({
      ...goodReport,
      mjcf_path: null,
      interface_fingerprint: null,
      model: null,
      checks: [
        { code: 'mjcf.parses', status: 'pass', message: 'parses', names: [], hint: null, loc: null, data: null },
      ],
    })
    expect(draft).toEqual({
      source: 'init',
      mjcf_path: null,
      model: null,
      derived: [],
      conversion: null,
      card: JSON.parse(cardText()),
      needs_you: [{ field: 'base', severity: 'advice', why: 'look', names: [], suggestion: null }],
      blocking: 0,
    })
    expect(artifacts).toEqual([
      {
        path: 'robot_card.json',
        size: card.length,
        sha256: sha256Of(card),
        content_type: null,
        url: expect.stringMatching(/^http/),
      },
    ])
    expect(engine).toEqual({ name: 'mujoco', version: '3' })
  })

  it('has the members of what was published, and of the person behind it', async () => {
    const made = await robotCheck()
    const { published } = (await publish(made.person, made.check)).json
    expect(members(published)).toEqual(
      sorted('at by interface_fingerprint visibility files smoke_rollout_id smoke_error'),
    )
    expect(members(published.by)).toEqual(['handle', 'id', 'name'])
    expect(published.by.id).toBe(made.person.id)
    expect([published.smoke_rollout_id, published.smoke_error]).toEqual([null, null])
  })
})

describe('the intake of a model check', () => {
  it('has every member of ModelIntake, null where the worker said nothing', async () => {
    const { intake } = await shown(await modelCheck({ end: { intake: { embodiment: 'unstamped' } } }))
    expect(members(intake)).toEqual(ofIntake)
    expect(intake).toMatchObject({ embodiment: 'unstamped', stamped_by_check: false, differing: [], source: null })
  })

  const full = {
    ...goodIntake,
    policy_path: 'walk.onnx',
    embodiment: 'mismatch',
    stamped_by_check: false,
    differing: [{ field: 'rate', policy: 50, robot: { joint_order: ['aB'], controlRate: 1.5 } }],
    robot_fingerprint: null,
    summary: 'Made for another robot.',
    manifest: { camelCase: 1, snake_case: { inner: [1.5] } },
    graph: { inputs: [{ name: 'obs' }] },
    params: 576,
    source: { hf_repo: 'org/name', revision: 'a', license: null, files: ['a'], bytes: 3, skipped: [] },
  }

  it('is what the worker reported, member for member, free-form members untouched', async () => {
    expect((await shown(await modelCheck({ end: { intake: full } }))).intake).toEqual(full)
    const partial = { ...full, source: { hf_repo: 'org/name' } }
    expect((await shown(await modelCheck({ end: { intake: partial } }))).intake.source).toEqual({
      hf_repo: 'org/name',
      revision: null,
      license: null,
      files: [],
      bytes: null,
      skipped: [],
    })
  })

  it('is typed in the graph, with the names of the graph', async () => {
    const made = await modelCheck({ end: { intake: full } })
    const { data, errors } = await hub.graphql(
      made.person,
      `query ($id: ID!) { robotCheck(id: $id) { intake { policyPath embodiment stampedByCheck controlClass params manifest
        differing { field policy robot } source { hfRepo files } } } }`,
      { id: made.check },
    )
    expect(errors).toBeUndefined()
    expect(data.robotCheck.intake).toEqual({
      policyPath: 'walk.onnx',
      embodiment: 'MISMATCH',
      stampedByCheck: false,
      controlClass: 'REFLEX',
      params: 576,
      manifest: full.manifest,
      differing: full.differing,
      source: { hfRepo: 'org/name', files: ['a'] },
    })
  })

  it.each([
    ['without a field', [{ policy: 1, robot: 2 }]],
    ['with another member', [{ field: 'rate', policy: 1, robot: 2, why: 'x' }]],
    ['that is not an object', ['rate']],
  ])('is 422 for a difference %s', async (_what, differing) => {
    const { worker, check } = await begin('model', {})
    const refused = await checks.post(worker, check, 'report', { intake: { ...goodIntake, differing } })
    expect([refused.status, places(refused)[0]?.slice(0, 3)]).toEqual([422, ['body', 'intake', 'differing']])
  })
})
