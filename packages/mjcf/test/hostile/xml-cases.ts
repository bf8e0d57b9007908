import { type HostileCase, SPHERE, world } from './hostile-case.ts'

const MIB = 1024 * 1024
const small = world(`<body name="a"><joint name="j"/>${SPHERE}</body>`)
const bytes = (text: string, encoding: BufferEncoding, mark: number[]) =>
  Buffer.concat([Uint8Array.from(mark), Buffer.from(text, encoding)])

const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')

/** Documents that attack whatever parses them. */
export const xmlCases: readonly HostileCase[] = [
  {
    name: 'an entity bomb',
    files: () => ({ 'main.xml': `<!DOCTYPE m [<!ENTITY l0 "ha">${laughs}]><mujoco model="&l9;"/>` }),
    verdict: 'accepted',
  },
  {
    name: 'an entity bomb that the model is named after',
    files: () => ({ 'main.xml': `<!DOCTYPE m><mujoco model="&l9;${'&l9;'.repeat(50_000)}"><worldbody/></mujoco>` }),
    verdict: 'accepted',
  },
  {
    name: 'an external entity',
    files: () => ({ 'main.xml': '<!DOCTYPE m SYSTEM "file:///etc/passwd"><mujoco model="&x;"><worldbody/></mujoco>' }),
    verdict: 'accepted',
  },
  {
    name: 'an external entity declared inside',
    files: () => ({
      'main.xml': '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco model="&x;"><worldbody/></mujoco>',
    }),
    verdict: 'accepted',
  },
  {
    name: '200,000 levels',
    files: () => ({ 'main.xml': world('<body>'.repeat(200_000) + '</body>'.repeat(200_000)) }),
    verdict: /xml: .*(deep|nest|level)/i,
  },
  { name: '200,000 levels never closed', files: () => ({ 'main.xml': '<a>'.repeat(200_000) }), verdict: /xml: / },
  {
    name: '64 MiB of elements',
    files: () => ({ 'main.xml': world('<site/>'.repeat((64 * MIB) / 7)) }),
    verdict: /limit: .*(bytes|MiB)/,
    judged: false,
  },
  {
    name: '64 MiB of comment',
    files: () => ({ 'main.xml': `<!--${' '.repeat(64 * MIB)}-->${small}` }),
    verdict: /limit: .*(bytes|MiB)/,
    judged: false,
  },
  {
    name: '15 MiB of comment, which is within the cap',
    files: () => ({ 'main.xml': `<!--${' '.repeat(15 * MIB)}-->${small}` }),
    verdict: 'accepted',
  },
  {
    name: '15 MiB of elements',
    files: () => ({ 'main.xml': world('<site/>'.repeat((15 * MIB) / 7)) }),
    verdict: /limit: .*elements/,
    judged: false,
  },
  {
    name: '15 MiB of unknown elements',
    files: () => ({ 'main.xml': world('<a/>'.repeat((15 * MIB) / 4)) }),
    verdict: /limit: .*elements/,
  },
  {
    name: '15 MiB of a name',
    files: () => ({ 'main.xml': world(`<body name="${'n'.repeat(15 * MIB)}">${SPHERE}</body>`) }),
    verdict: 'accepted',
  },
  {
    name: '15 MiB of character references',
    files: () => ({ 'main.xml': `<mujoco model="${'&#x41;'.repeat((15 * MIB) / 6)}"><worldbody/></mujoco>` }),
    verdict: 'accepted',
  },
  {
    name: '15 MiB of an unknown attribute name',
    files: () => ({ 'main.xml': world(`<body ${'n'.repeat(15 * MIB)}="1">${SPHERE}</body>`) }),
    verdict: /schema: /,
  },
  {
    name: '15 MiB of an unknown element name',
    files: () => ({ 'main.xml': world(`<${'n'.repeat(15 * MIB)}/>`) }),
    verdict: /schema: /,
  },
  {
    name: '15 MiB of blanks in a number',
    files: () => ({ 'main.xml': world(`<body pos="1 ${' '.repeat(15 * MIB)}x">${SPHERE}</body>`) }),
    verdict: /value: /,
  },
  {
    name: '15 MiB of digits',
    files: () => ({ 'main.xml': world(`<body pos="0 0 0.${'1'.repeat(15 * MIB)}">${SPHERE}</body>`) }),
    verdict: 'accepted',
  },
  {
    name: '7 million numbers in a keyframe',
    files: () => ({
      'main.xml': `<mujoco><worldbody/><keyframe><key qpos="${'1 '.repeat(7_000_000)}"/></keyframe></mujoco>`,
    }),
    verdict: /compile: |value: |limit: /,
  },
  {
    name: '20,000 attributes',
    files: () => ({
      'main.xml': `<mujoco ${Array.from({ length: 20_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`,
    }),
    verdict: /limit: .*attributes/,
    judged: false,
  },
  {
    name: 'an attribute 20,000 times',
    files: () => ({ 'main.xml': `<mujoco ${'a="1" '.repeat(20_000)}/>` }),
    verdict: /xml: /,
  },
  {
    name: 'names that JavaScript keeps for itself',
    files: () => ({
      'main.xml': world(
        `<body name="__proto__" childclass="constructor"><joint name="toString"/>${SPHERE}</body>`,
        '<default><default class="constructor"><joint type="slide"/></default></default>',
      ),
    }),
    verdict: 'accepted',
  },
  {
    name: 'elements and attributes that JavaScript keeps for itself',
    files: () => ({ 'main.xml': world('<constructor/><body __proto__="1" toString="2"/><__proto__/>') }),
    verdict: /schema: /,
  },
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty'].map(
    (word): HostileCase => ({
      name: `${word} for every word that is looked up`,
      files: () => ({
        'main.xml': `<mujoco><compiler angle="${word}" eulerseq="${word}"/><option integrator="${word}"/>
          <default class="${word}"><joint type="${word}"/><${word}/></default>
          <asset><mesh file="a.${word}" builtin="${word}"/><texture type="${word}" builtin="${word}"/><${word}/></asset>
          <worldbody><geom type="${word}" size="1"/><${word}/><body><joint type="${word}"/><composite type="${word}"/>
          <flexcomp type="${word}" dof="${word}"/></body></worldbody>
          <actuator><${word}/><general dyntype="${word}"/></actuator><equality><${word}/></equality><tendon><${word}/></tendon>
          <sensor><${word}/><framepos objtype="${word}" objname="${word}" reftype="${word}" refname="${word}"/></sensor>
          <custom><tuple name="t"><element objtype="${word}" objname="${word}"/></tuple></custom><${word}/></mujoco>`,
      }),
      verdict: /schema: |value: /,
    }),
  ),
  ...['constructor', '__proto__', 'toString'].map(
    (word): HostileCase => ({
      name: `a URDF of ${word}`,
      files: () => ({
        'main.xml': `<robot name="${word}"><link name="${word}"><collision><geometry><${word}/></geometry></collision></link><link name="b"/>
          <joint name="${word}" type="${word}"><parent link="${word}"/><child link="b"/></joint></robot>`,
      }),
      verdict: /: /,
    }),
  ),
  {
    name: '90,000 things that MJCF does not have',
    files: () => ({ 'main.xml': world('<thing/>'.repeat(90_000)) }),
    verdict: /schema: /,
  },
  {
    name: 'a byte order mark',
    files: () => ({ 'main.xml': bytes(small, 'utf8', [0xef, 0xbb, 0xbf]) }),
    verdict: 'accepted',
  },
  {
    name: 'UTF-16, small end first',
    files: () => ({ 'main.xml': bytes(small, 'utf16le', [0xff, 0xfe]) }),
    verdict: /xml: /,
  },
  {
    name: 'UTF-16, big end first',
    files: () => ({ 'main.xml': bytes(small, 'utf16le', [0xff, 0xfe]).swap16() }),
    verdict: /xml: /,
  },
  {
    name: 'CRLF and lone CR',
    files: () => ({ 'main.xml': small.replaceAll('><', '>\r\n<').replace('/', '\r/') }),
    verdict: 'accepted',
  },
  {
    name: 'CDATA with markup in it',
    files: () => ({ 'main.xml': world(`<![CDATA[<body/>]]>${SPHERE}`) }),
    verdict: 'accepted',
  },
  {
    name: 'NUL in the middle',
    files: () => ({ 'main.xml': small.replace('name="a"', 'name="a\0b"') }),
    verdict: /xml: /,
  },
  { name: 'NUL at the end', files: () => ({ 'main.xml': `${small}\0garbage<` }), verdict: 'accepted' },
  { name: 'text after the root', files: () => ({ 'main.xml': `${small}after` }), verdict: /xml: / },
  {
    name: 'a processing instruction inside',
    files: () => ({ 'main.xml': world('<?php evil() ?>') }),
    verdict: /xml: /,
  },
  {
    name: 'bytes that are not UTF-8',
    files: () => ({ 'main.xml': Buffer.from(small.replace('"a"', '"\xff\xfe"'), 'latin1') }),
    verdict: 'accepted',
  },
  { name: 'nothing', files: () => ({ 'main.xml': '' }), verdict: /entry: / },
  {
    name: 'noise',
    files: () => ({ 'main.xml': Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 251)) }),
    verdict: /xml: /,
  },
]
