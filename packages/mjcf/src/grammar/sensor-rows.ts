/** Sensors. */
import { above, inOrder } from './element-checks.ts'
import { type Row, row } from './row.ts'
import { differentKeys } from './section-checks.ts'

const delay = `name nsample=int interp=<interpolation> delay=real interval=real[1-2] user=real[]`
const base = `${delay} cutoff=real noise=real`

/** Sensors that need the name of one object, by the attribute that holds it. */
const ofOneObject = {
  site: `touch accelerometer velocimeter gyro force torque magnetometer`,
  joint: `jointpos jointvel jointactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc`,
  tendon: `tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc`,
  actuator: `actuatorpos actuatorvel actuatorfrc`,
  body: `subtreecom subtreelinvel subtreeangmom`,
}

const object = `objtype=<frameObject>! objname!`
const pairConstraints = ['exclusive geom1 body1', 'oneOf geom1 body1', 'exclusive geom2 body2', 'oneOf geom2 body2']

function rows(names: string, make: () => Row): Record<string, Row> {
  return Object.fromEntries(names.split(' ').map((name) => [name, make()]))
}

export const SENSOR = row('', {
  ...Object.assign(
    {},
    ...Object.entries(ofOneObject).map(([attribute, names]) => rows(names, () => row(`${base} ${attribute}!`))),
  ),
  camprojection: row(`${base} site! camera!`),
  rangefinder: row(
    `${base} site camera data=<rayData>[]`,
    {},
    ['exclusive site camera', 'oneOf site camera'],
    [inOrder('data', 'rayData')],
  ),
  ...rows('framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel', () =>
    row(`${base} ${object} reftype=<frameObject> refname`, {}, ['together reftype refname']),
  ),
  ...rows('framelinacc frameangacc', () => row(`${base} ${object}`)),
  insidesite: row(`${base} site! ${object}`),
  ...rows('distance normal fromto', () => row(`${base} geom1 geom2 body1 body2`, {}, pairConstraints)),
  contact: row(
    `${base} geom1 geom2 body1 body2 subtree1 subtree2 site num=whole data=<contactData>[] reduce=<reduce>`,
    {},
    ['exclusive geom1 body1 subtree1 site', 'exclusive geom2 body2 subtree2'],
    [above('num', 0), inOrder('data', 'contactData')],
  ),
  ...rows('e_potential e_kinetic clock', () => row(base)),
  tactile: row(`${delay} cutoff=real geom! mesh!`),
  user: row(
    `name objtype objname datatype=<dataType> needstage=<stage> dim=whole! cutoff=real noise=real user=real[]`,
    {},
    ['together objtype objname'],
  ),
  plugin: row(
    `name plugin instance cutoff=real objtype objname reftype refname user=real[]`,
    { config: row(`key! value!`) },
    [],
    [differentKeys],
  ),
})
