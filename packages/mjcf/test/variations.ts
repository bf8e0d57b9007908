/** Small changes to a model, of the kinds that happen to robots in repos. */
import type { Random } from '@hub/testing/random'

export type Files = Readonly<Record<string, string | Uint8Array>>

/** A model varied: null where it has nothing to change. */
export type Variation = (files: Files, entry: string, random: Random) => { files: Files; entry: string } | null

const isText = (path: string) => /\.(?:xml|urdf)$/.test(path)

/** The replacement of one match of the pattern in one XML file, both chosen at random. */
function edit(pattern: RegExp, change: (found: string, random: Random) => string): Variation {
  return (files, entry, random) => {
    const matches = Object.entries(files).flatMap(([path, text]) =>
      typeof text === 'string' ? [...text.matchAll(pattern)].map((match) => ({ path, text, match })) : [],
    )
    if (matches.length === 0) return null
    const { path, text, match } = random.pick(matches)
    const changed = change(match[0], random)
    const after = text.slice(match.index + match[0].length)
    return { files: { ...files, [path]: text.slice(0, match.index) + changed + after }, entry }
  }
}

const insert = (pattern: RegExp, ...what: string[]) => edit(pattern, (found, random) => found + random.pick(what))

/** Another value for an attribute, one of those given. */
const setting = (pattern: RegExp, ...values: string[]) =>
  edit(pattern, (found, random) => found.replace(/"[^"]*"$/, `"${random.pick(values)}"`))

/** One file of a kind is missing or moved. */
function withoutFile(kind: (path: string) => boolean, to?: (path: string) => string): Variation {
  return (files, entry, random) => {
    const paths = Object.keys(files).filter((path) => path !== entry && kind(path))
    if (paths.length === 0) return null
    const path = random.pick(paths)
    const { [path]: data = '', ...rest } = files
    return { files: to ? { ...rest, [to(path)]: data } : rest, entry }
  }
}

/** A scene next to the model that holds it in some way. */
function scene(...contents: ((file: string) => string)[]): Variation {
  return (files, entry, random) => {
    const file = entry.slice(entry.lastIndexOf('/') + 1)
    return {
      files: { ...files, 'outer.xml': `<mujoco model="outer">${random.pick(contents)(file)}</mujoco>` },
      entry: 'outer.xml',
    }
  }
}

const attached =
  (attach: string, more = '') =>
  (file: string) =>
    `<asset><model name="m" file="${file}"/></asset><worldbody><geom size=".1"/>${attach}</worldbody>${more}`

export const VARIATIONS: Readonly<Record<string, Variation>> = {
  'a file that is gone': withoutFile(() => true),
  'a file elsewhere': withoutFile(
    () => true,
    (path) => `moved/${path}`,
  ),
  'a file in another case': withoutFile(
    () => true,
    (path) => path.toUpperCase(),
  ),
  'an asset of another format': withoutFile(
    (path) => !isText(path),
    (path) => path.replace(/\.\w+$/, '.dae'),
  ),
  'another path': edit(/\bfile(?:name)?="[^"]+"/g, (found, random) =>
    random.pick([
      found.replace('="', '="./'),
      found.replace('="', '="x/../'),
      found.replace('="', '="/'),
      found.replace('="', '="package://robot/'),
      found.replace('/', '\\'),
      found.replace(/"$/, ' "'),
      found.toLowerCase(),
    ]),
  ),
  'another folder of meshes': setting(/\b(?:mesh|asset|texture)dir="[^"]*"/g, '', '.', 'assets/', 'meshes', 'Assets'),
  'a second compiler': insert(
    /<mujoco\b[^>]*>/g,
    ...[
      'meshdir=""',
      'assetdir="x"',
      'strippath="true"',
      'discardvisual="true"',
      'autolimits="false"',
      'fusestatic="true"',
      'angle="Degree"',
    ].map((attribute) => `<compiler ${attribute}/>`),
  ),
  'a scene that attaches the model': scene(
    attached('<attach model="m" prefix="L-"/>'),
    attached('<frame name="f"><attach model="m" prefix=""/></frame>'),
    attached('<attach model="m" prefix="L-"/><attach model="m" prefix="R-"/>'),
    attached('<attach model="m" prefix="L-"/><attach model="m" prefix="L-"/>'),
    attached('<body name="b"><freejoint/><geom size=".1"/><attach model="m" prefix="p"/></body>'),
    attached('<replicate count="2" sep="_"><attach model="m" prefix="p"/></replicate>'),
    attached('<attach model="m" prefix="p"/>', '<keyframe><key name="home"/><key name="phome" qpos="0"/></keyframe>'),
  ),
  'a scene that includes the model': scene(
    (file) => `<include file="${file}"/>`,
    (file) => `<worldbody><geom size=".1"/></worldbody><include file="./${file}"/>`,
    (file) => `<include file="${file}"/><include file="${file}"/>`,
    (file) => `<include file="${file}"><body/></include>`,
  ),
  'a joint of the name of another': edit(/<(?:free)?joint\b[^>]*\bname="[^"]*"/g, (found, random) =>
    found.replace(/"[^"]*"$/, `"${random.pick(['left', 'Jaw', 'shoulder', 'FL_hip_joint', 'Rotation', ''])}"`),
  ),
  'a joint of another type': edit(
    /<joint\b(?: type="[^"]*")?/g,
    (_found, random) =>
      `<joint type="${random.pick(['slide', 'ball', 'free', 'hinge', 'Hinge', 'fixed', 'floating', 'planar', 'continuous'])}"`,
  ),
  'a joint more': insert(
    /<body\b[^>]*[^/]>/g,
    '<freejoint/>',
    '<joint name="more"/>',
    '<joint type="ball"/>',
    '<joint range="1 0" limited="true"/>',
  ),
  'a joint less': edit(/<(?:free)?joint\b[^>]*\/>/g, () => ''),
  'a loose body': insert(
    /<worldbody>/g,
    '<body name="loose"><freejoint/><geom size=".1"/></body>',
    '<body name="loose" mocap="true"/>',
    '<body><joint name="slid" type="slide"/></body>',
    '<replicate count="3"><body name="loose"><joint name="turn"/><geom size=".1"/></body></replicate>',
  ),
  'a keyframe of other lengths': edit(/\b(?:qpos|ctrl|qvel)="[^"]*"/g, (found, random) =>
    random.pick([found.replace(/"$/, ' 0"'), found.replace(/\s\S+"$/, '"'), found.replace(/"$/, ' x"')]),
  ),
  'keyframes of other names': edit(/<key\b(?: name="[^"]*")?/g, (found, random) =>
    random.pick([
      '<key',
      '<key name=""',
      `${found.replace('<key', '<key time="1"')}/>${found}`,
      '<key name="other"/><key',
    ]),
  ),
  'a class that does not exist': setting(/\b(?:child)?class="[^"]*"/g, 'nothing', 'main', ''),
  'a default more': insert(
    /<default\b[^>]*>/g,
    '<joint type="slide"/>',
    '<joint type="free"/>',
    '<geom mesh="none"/>',
    '<default/>',
    '<default class="more"/>',
  ),
  'a reference to something else': setting(
    /\b(?:joint|site|body1|body2|mesh|material|texture|objname|link)="[^"]*"/g,
    'none',
    '',
    'world',
    'base',
  ),
  'an attribute of another name': edit(/ (?!version|encoding)\w+="/g, (found, random) =>
    random.pick([found.toUpperCase(), ` x${found.trim()}`, ' name="']),
  ),
  'an attribute of another value': setting(
    / (?!version|encoding)\w+="[^"]*"/g,
    '',
    'x',
    '0',
    '1 2 3',
    'nan',
    '-1',
    '1e999',
    'true',
  ),
  'an element less': edit(/<(?!\/|\?|!)[^<>]*\/>/g, () => ''),
  'an element twice': edit(/<(?!\/|\?|!)[^<>]*\/>/g, (found) => found + found),
  'a letter less': edit(/[<>"=/]/g, () => ''),
  'an end too early': edit(/>[\s\S]*$/g, (found, random) => found.slice(0, random.int(0, found.length - 1))),
  'a link or joint of a URDF that is another': setting(
    /<(?:parent|child|link)\b[^>]*?"[^"]*"/g,
    'none',
    'world',
    'base',
  ),
}
