/** Few copies of much, and many of little: what each copy examines is counted, not only what it creates. */
import { type HostileCase, SPHERE, times, world } from './hostile-case.ts'

const replicates = (count: number) => '<replicate count="2"><site/></replicate>'.repeat(count)

export const copiesCases: readonly HostileCase[] = [
  {
    name: 'a tendon of 40,000 stops beside 3,000 replicates',
    files: () => ({
      'main.xml': `<mujoco><worldbody><site name="a"/><site name="b"/>${replicates(3_000)}</worldbody><tendon><spatial>${'<site site="a"/><site site="b"/>'.repeat(20_000)}</spatial></tendon></mujoco>`,
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'a tuple of 50,000 objects beside 2,000 replicates',
    files: () => ({
      'main.xml': world(
        replicates(2_000),
        `<custom><tuple name="t">${'<element objtype="body" objname="world"/>'.repeat(50_000)}</tuple></custom>`,
      ),
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: '30,000 keyframes carried over by each of 3,000 attaches',
    files: () => ({
      'main.xml': `<mujoco><worldbody><body name="b">${SPHERE}</body>${times(3_000, (i) => `<attach body="b" prefix="p${i}"/>`)}</worldbody><keyframe>${'<key/>'.repeat(30_000)}</keyframe></mujoco>`,
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'one of 30,000 frames attached 20,000 times',
    files: () => ({
      'main.xml': world(
        `${times(30_000, (i) => `<frame name="f${i}"/>`)}<frame name="z"/>${times(20_000, (i) => `<attach frame="z" prefix="p${i}"/>`)}`,
      ),
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'a body attached 20,000 times in the world',
    files: () => ({
      'main.xml': world(`<body name="z"/>${times(20_000, (i) => `<frame><attach body="z" prefix="p${i}"/></frame>`)}`),
    }),
    verdict: 'accepted',
    judged: false,
  },
  ...[`range="${'0 63999 '.repeat(20_000)}`, `gridrange="${'0 0 0 39 39 39 '.repeat(5_000)}`].map(
    (pins): HostileCase => ({
      name: `64,000 points pinned over and over by ${pins.slice(0, 22)}`,
      files: () => ({
        'main.xml': world(
          `<body name="b"><flexcomp name="f" dim="3" count="40 40 40" spacing="1 1 1"><pin ${pins}"/></flexcomp></body>`,
        ),
      }),
      verdict: /limit: /,
      judged: false,
    }),
  ),
  {
    name: '80,000 includes in a file that 190 models include from as many folders',
    files: () => ({
      'main.xml': `<mujoco><asset>${times(190, (i) => `<model file="d${i}/main.xml"/>`)}</asset></mujoco>`,
      'much.xml': `<mujoco><asset>${times(80_000, (i) => `<include file="x${i % 9}"/>`)}</asset></mujoco>`,
      ...Object.fromEntries(
        Array.from({ length: 190 }, (_, i) => [`d${i}/main.xml`, '<mujoco><include file="../much.xml"/></mujoco>']),
      ),
    }),
    verdict: /limit: /,
    judged: false,
  },
  {
    name: 'a URDF with 20,000 meshes of one name and as many scales',
    entry: 'main.urdf',
    files: () => ({
      'main.urdf': `<robot name="r"><link name="a">${times(20_000, (i) => `<collision><geometry><mesh filename="a.stl" scale="${i + 1} 1 1"/></geometry></collision>`)}</link></robot>`,
      'a.stl': '',
    }),
    verdict: /asset: /,
    judged: false,
  },
]
