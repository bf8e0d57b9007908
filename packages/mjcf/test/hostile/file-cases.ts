import { type HostileCase, SPHERE, world } from './hostile-case.ts'

const include = (file: string) => `<include file="${file}"/>`
const model = (inside: string) => `<mujoco>${inside}</mujoco>`
const leaf = world(SPHERE)

const chain = (length: number) =>
  Object.fromEntries([
    ['main.xml', model(include('1.xml'))],
    ...Array.from({ length }, (_, i) => [
      `${i + 1}.xml`,
      model(i + 1 < length ? include(`${i + 2}.xml`) : '<worldbody/>'),
    ]),
  ])

/** Files that refer to each other, or to paths outside of the repo. */
export const fileCases: readonly HostileCase[] = [
  {
    name: 'an include of itself',
    files: () => ({ 'main.xml': model(include('main.xml')) }),
    verdict: /include: .*main\.xml/,
  },
  {
    name: 'includes in a circle through the entry',
    files: () => ({ 'main.xml': model(include('a.xml')), 'a.xml': model(include('main.xml')) }),
    verdict: /include: .*(main\.xml|a\.xml)/,
  },
  {
    name: 'includes in a circle of two',
    files: () => ({
      'main.xml': model(include('a.xml')),
      'a.xml': model(include('b.xml')),
      'b.xml': model(include('a.xml')),
    }),
    verdict: /include: .*a\.xml/,
  },
  {
    name: 'an included file that includes itself',
    files: () => ({ 'main.xml': model(include('a.xml')), 'a.xml': model(include('a.xml')) }),
    verdict: /include: .*a\.xml/,
  },
  {
    name: 'includes in a circle below another, where MuJoCo recurses until it dies',
    files: () => ({
      'main.xml': model(include('a.xml')),
      'a.xml': model(include('b.xml')),
      'b.xml': model(include('c.xml')),
      'c.xml': model(include('b.xml')),
    }),
    verdict: /include: .*b\.xml -> c\.xml -> b\.xml/,
  },
  ...[
    '../secret.xml',
    'a/../../secret.xml',
    '/etc/passwd',
    'file:///etc/passwd',
    'C:\\boot.ini',
    '\\\\host\\share\\a.xml',
  ].map(
    (file): HostileCase => ({
      name: `an include of ${file}`,
      files: () => ({ 'main.xml': model(include(file)) }),
      verdict: /path: /,
    }),
  ),
  ...['../../m.stl', '/etc/m.stl', 'package://robot/m.stl'].map(
    (file): HostileCase => ({
      name: `a mesh ${file}`,
      files: () => ({ 'main.xml': model(`<asset><mesh file="${file}"/></asset>`) }),
      verdict: /path: /,
    }),
  ),
  {
    name: 'a mesh folder that leads out and a file that leads back in',
    files: () => ({ 'main.xml': model('<compiler meshdir=".."/><asset><mesh file="x/m.stl"/></asset>') }),
    verdict: /path: /,
  },
  {
    name: 'a model outside',
    files: () => ({ 'main.xml': model('<asset><model file="../other/main.xml"/></asset>') }),
    verdict: /path: /,
  },
  {
    name: 'an include bomb of 2^40',
    files: () =>
      Object.fromEntries([
        ['main.xml', model(include('0.xml'))],
        ...Array.from({ length: 40 }, (_, i) => [`${i}.xml`, model(include(`${i + 1}.xml`).repeat(2))]),
        ['40.xml', leaf],
      ]),
    verdict: /limit: .*include/,
    judged: false,
  },
  { name: 'a chain of 200 includes', files: () => chain(200), verdict: 'accepted' },
  { name: 'a chain of 5,000 includes', files: () => chain(5_000), verdict: /limit: .*files/, judged: false },
  {
    name: 'an MiB included 900 times',
    files: () => ({
      'main.xml': model(include('a.xml')),
      'a.xml': model(include('b.xml').repeat(900)),
      'b.xml': world('<site/>'.repeat(150_000)),
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: '4,000 includes that are not there',
    files: () => ({ 'main.xml': model(Array.from({ length: 4_000 }, (_, i) => include(`${i}.xml`)).join('')) }),
    verdict: /missing include: 0\.xml/,
  },
  {
    name: '10,000 meshes that are not there',
    files: () => ({
      'main.xml': model(
        `<asset>${Array.from({ length: 10_000 }, (_, i) => `<mesh file="${i}.stl"/>`).join('')}</asset>`,
      ),
    }),
    verdict: /missing mesh: 9999\.stl/,
  },
  {
    name: 'a model that contains itself',
    files: () => ({ 'main.xml': model('<asset><model name="m" file="main.xml"/></asset><worldbody/>') }),
    verdict: /include: .*main\.xml/,
    judged: false,
  },
  {
    name: 'models that contain each other',
    files: () => ({
      'main.xml': model('<asset><model name="m" file="a.xml"/></asset><worldbody/>'),
      'a.xml': model('<asset><model name="m" file="b.xml"/></asset><worldbody/>'),
      'b.xml': model('<asset><model name="m" file="a.xml"/></asset><worldbody/>'),
    }),
    verdict: /include: .*a\.xml -> b\.xml -> a\.xml/,
    judged: false,
  },
  {
    name: 'models that double at each of 30 levels',
    files: () =>
      Object.fromEntries(
        Array.from({ length: 30 }, (_, i) => [
          i === 0 ? 'main.xml' : `${i}.xml`,
          i === 29
            ? world(`<body name="b">${SPHERE}</body>`)
            : world(
                `<body name="b"><attach model="m" body="b" prefix="l"/><attach model="m" body="b" prefix="r"/></body>`,
                `<asset><model name="m" file="${i + 1}.xml"/></asset>`,
              ),
        ]),
      ),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'model files that double at each of 30 levels',
    files: () =>
      Object.fromEntries(
        Array.from({ length: 31 }, (_, i) => [
          i === 0 ? 'main.xml' : `${i}.xml`,
          i === 30
            ? leaf
            : model(
                `<asset><model name="a" file="${i + 1}.xml"/><model name="b" file="${i + 1}.xml"/></asset><worldbody/>`,
              ),
        ]),
      ),
    verdict: /limit: /,
    judged: false,
  },
]
