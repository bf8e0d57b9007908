import { type HostileCase, SPHERE, times, world } from './hostile-case.ts'

const nested = (depth: number, open: string, inside: string, close: string) =>
  open.repeat(depth) + inside + close.repeat(depth)
const link = (name: string) => `<link name="${name}"/>`
const fixed = (i: number, type = 'fixed') =>
  `<joint name="j${i}" type="${type}"><parent link="l${i}"/><child link="l${i + 1}"/></joint>`

/** Small files that expand to large models, and large models that are slow to check. */
export const expansionCases: readonly HostileCase[] = [
  ...['1000000000', '2147483647', '2147483648', '1e9', '99999999999999999999'].map(
    (count): HostileCase => ({
      name: `a replicate of ${count}`,
      files: () => ({ 'main.xml': world(`<replicate count="${count}"><body>${SPHERE}</body></replicate>`) }),
      verdict: /limit: |value: /,
      judged: false,
    }),
  ),
  {
    name: 'replicates of 1000^3',
    files: () => ({ 'main.xml': world(nested(3, '<replicate count="1000">', SPHERE, '</replicate>')) }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'replicates of 2^400',
    files: () => ({ 'main.xml': world(nested(400, '<replicate count="2">', SPHERE, '</replicate>')) }),
    verdict: /limit: |xml: /,
    judged: false,
  },
  {
    name: 'a replicate of a billion times nothing',
    files: () => ({ 'main.xml': world('<replicate count="1000000000"></replicate>') }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'a replicate that multiplies keyframes',
    files: () => ({
      'main.xml': world(
        nested(2, '<replicate count="300">', '<site/>', '</replicate>'),
        `<keyframe>${times(2_000, (i) => `<key name="k${i}"/>`)}</keyframe>`,
      ),
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'a body that attaches copies of itself 40 times over',
    files: () => ({
      'main.xml': world(
        `<body name="b0">${SPHERE}</body>${times(40, (i) => `<body name="b${i + 1}"><attach body="b${i}" prefix="l"/><attach body="b${i}" prefix="r"/></body>`)}`,
      ),
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'a cable of a billion',
    files: () => ({
      'main.xml': world(
        '<composite type="cable" curve="s" count="1000000000 1 1" size="1"><geom type="capsule" size=".01"/></composite>',
      ),
    }),
    verdict: /limit: |value: |compile: /,
    judged: false,
  },
  {
    name: 'a flexible grid of a billion points',
    files: () => ({
      'main.xml': world(
        '<body name="b"><flexcomp name="f" type="grid" count="1000 1000 1000" spacing=".1 .1 .1"/></body>',
      ),
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: '400 frames in each other',
    files: () => ({ 'main.xml': world(nested(400, '<frame>', `<body><joint name="j"/>${SPHERE}</body>`, '</frame>')) }),
    verdict: 'accepted',
  },
  {
    name: '400 bodies in each other',
    files: () => ({ 'main.xml': world(nested(400, `<body>${SPHERE}`, '', '</body>')) }),
    verdict: 'accepted',
  },
  ...([150, 400] as const).map(
    (depth): HostileCase => ({
      name: `${depth} default classes in each other and as many bodies of each`,
      files: () => ({
        'main.xml': world(
          times(depth, (i) => `<body childclass="c${i}"><joint/>${SPHERE}</body>`),
          `<default>${times(depth, (i) => `<default class="c${i}"><joint damping="${i}"/><geom rgba="1 0 0 1"/>`)}${'</default>'.repeat(depth)}</default>`,
        ),
      }),
      verdict: depth === 150 ? 'accepted' : /limit: .*default class/,
      // MuJoCo takes the 400, in a second.
      ...(depth === 150 ? {} : { judged: false }),
    }),
  ),
  {
    name: '20,000 default classes beside each other',
    files: () => ({
      'main.xml': world('', `<default>${times(20_000, (i) => `<default class="c${i}"/>`)}</default>`),
    }),
    verdict: 'accepted',
    judged: false,
  },
  {
    name: '30,000 bodies of one name',
    files: () => ({ 'main.xml': world(times(30_000, () => `<body name="b"/>`)) }),
    verdict: /name: /,
    judged: false,
  },
  {
    name: '20,000 exclusions of 20,000 bodies',
    files: () => ({
      'main.xml': `<mujoco><worldbody>${times(20_000, (i) => `<body name="b${i}"/>`)}</worldbody><contact>${times(20_000, (i) => `<exclude body1="b${i}" body2="b${19_999 - i}"/>`)}</contact></mujoco>`,
    }),
    verdict: 'accepted',
    judged: false,
  },
  {
    name: '20,000 sensors of what is not there',
    files: () => ({
      'main.xml': `<mujoco><worldbody/><sensor>${times(20_000, (i) => `<jointpos joint="nothing at all ${i}"/>`)}</sensor></mujoco>`,
    }),
    verdict: /reference: /,
  },
  {
    name: '20,000 joints in one body',
    files: () => ({ 'main.xml': world(`<body>${SPHERE}${'<joint/>'.repeat(20_000)}</body>`) }),
    verdict: /compile: /,
    judged: false,
  },
  {
    name: '20,000 keyframes for 1,000 joints of one chain of 400 and more',
    files: () => ({
      'main.xml': `<mujoco><worldbody>${times(1_000, (i) => `<body><joint name="j${i}"/>${SPHERE}</body>`)}</worldbody><keyframe>${'<key/>'.repeat(20_000)}</keyframe></mujoco>`,
    }),
    verdict: 'accepted',
    judged: false,
  },
  {
    name: 'a <size> of two billion keyframes',
    files: () => ({ 'main.xml': '<mujoco><size nkey="2000000000"/><worldbody/></mujoco>' }),
    verdict: /limit: |compile: |value: /,
    judged: false,
  },
  {
    name: 'a URDF of 30,000 links in a chain',
    entry: 'main.urdf',
    files: () => ({
      'main.urdf': `<robot name="r">${times(30_001, (i) => link(`l${i}`))}${times(30_000, (i) => fixed(i))}</robot>`,
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'a URDF of 10,000 links beside each other',
    entry: 'main.urdf',
    files: () => ({
      'main.urdf': `<robot name="r">${times(10_001, (i) => link(`l${i}`))}${times(10_000, (i) => `<joint name="j${i}" type="fixed"><parent link="l0"/><child link="l${i + 1}"/></joint>`)}</robot>`,
    }),
    verdict: 'accepted',
    judged: false,
  },
  {
    name: 'a URDF in a circle',
    entry: 'main.urdf',
    files: () => ({
      'main.urdf': `<robot name="r">${times(3, (i) => link(`l${i}`))}${fixed(0)}${fixed(1)}<joint name="j2" type="fixed"><parent link="l2"/><child link="l0"/></joint></robot>`,
    }),
    verdict: /compile: |reference: |schema: /,
  },
]
