/** Operations as an attacker would send them, with what refuses each: by the tests, and by the bench, which measures how long that takes. */

interface HugeOperation {
  readonly what: string
  readonly make: () => string
  /** The limit that it is over; null where another rule refuses it. */
  readonly limit: string | null
  readonly actual?: number | null
  /** The message of that rule. */
  readonly refusal?: RegExp
}

const repeat = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ')
const nested = (levels: number, open: string, end: string) =>
  `{ ${`${open} { `.repeat(levels)}${end}${' }'.repeat(levels)} }`

export const hugeOperations: readonly HugeOperation[] = [
  {
    what: 'a query of 30 levels',
    make: () =>
      nested(29, 'run(id: "run_1")', 'id').replace(/(?<=\{ run\(id: "run_1"\) \{ )run\(id: "run_1"\)/g, 'parent'),
    limit: 'depth',
    actual: 30,
  },
  {
    what: '2,000 aliases',
    make: () => `{ viewer { ${repeat(2000, (at) => `a${at}: kind`)} } }`,
    limit: 'tokens',
    actual: null,
  },
  {
    what: '300 aliases',
    make: () => `{ viewer { ${repeat(300, (at) => `a${at}: kind`)} } }`,
    limit: 'aliases',
    actual: 300,
  },
  {
    what: 'aliases in fragments that are spread again and again',
    make: () =>
      `{ viewer { ...f0 } } ${repeat(30, (at) => `fragment f${at} on Viewer { ...f${at + 1} ...f${at + 1} }`)} fragment f30 on Viewer { a: kind }`,
    limit: 'fields',
    actual: 2 ** 30 + 1,
  },
  {
    what: 'nested pages of 100 x 100',
    make: () => '{ repos(first: 100) { nodes { runs(first: 100) { nodes { id } } } } }',
    limit: 'objects',
    actual: 10_100,
  },
  {
    what: 'pages of many aliased lists',
    make: () =>
      `{ ${repeat(12, (at) => `a${at}: repos(first: 100) { nodes { files(first: 10) { nodes { path } } } }`)} }`,
    limit: 'objects',
    actual: 13_200,
  },
  {
    what: '21 root fields',
    make: () => `{ ${repeat(21, (at) => `a${at}: __typename`)} }`,
    limit: 'root_fields',
    actual: 21,
  },
  {
    what: '100 directives',
    make: () => `{ __typename ${'@skip(if: false) '.repeat(100)} }`,
    limit: 'directives',
    actual: 100,
  },
  {
    what: 'a wide introspection',
    make: () => `{ __schema { types { ${repeat(601, (at) => `a${at}: name`)} } } }`,
    limit: 'introspection',
    actual: 603,
  },
  {
    what: 'a document of 100,000 tokens',
    make: () => `{ ${'__typename '.repeat(100_000)} }`.slice(0, 1_000_000),
    limit: 'tokens',
    actual: null,
  },
  {
    what: 'a deep introspection',
    make: () =>
      '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
    limit: null,
    refusal: /Maximum introspection depth exceeded/,
  },
  {
    what: 'a fragment cycle',
    make: () => '{ viewer { ...A } } fragment A on Viewer { kind ...B } fragment B on Viewer { kind ...A }',
    limit: null,
    refusal: /Cannot spread fragment "A" within itself via "B"/,
  },
  {
    what: 'lists nested too deep for the parser',
    make: () => `{ node(id: ${'['.repeat(2400)}${']'.repeat(2400)}) { id } }`,
    limit: null,
    refusal: /.+/,
  },
]
