/** Actuators, as objects and in defaults. */
import { actuatorInput, transmissionParts } from './element-checks.ts'
import { type Row, row } from './row.ts'
import { differentKeys } from './section-checks.ts'

const base = `group=int nsample=int interp=<interpolation> delay=real ctrlrange=real[2] user=real[]`
const dynamics = `gear=real[1-6] damping=real[1-3] armature=real cranklength=real`
const ctrlLimit = `ctrllimited=<falseTrueAuto>`
const forceLimit = `forcelimited=<falseTrueAuto> forcerange=real[2]`
const actLimit = `actlimited=<falseTrueAuto> actrange=real[2]`
const gains = `kp=real kv=real dampratio=real`

/** Attributes of each kind in a default class. `input` is not a plain keyword set: it has its own check. */
const defaults = {
  general: `${base} ${dynamics} ${ctrlLimit} ${forceLimit} ${actLimit} actdim=int input velrange=real[2] ffrange=real[2] dyntype=<dynamics>
    gaintype=<gain> biastype=<bias> dynprm=real[1-10] gainprm=real[1-10] biasprm=real[1-10] actearly=bool`,
  motor: `${base} ${dynamics} ${ctrlLimit} ${forceLimit}`,
  position: `${base} ${dynamics} ${ctrlLimit} ${forceLimit} ${gains} inheritrange=real timeconst=real`,
  velocity: `${base} ${dynamics} ${ctrlLimit} ${forceLimit} kv=real`,
  intvelocity: `${base} ${dynamics} ${ctrlLimit} ${forceLimit} ${actLimit} ${gains} inheritrange=real`,
  orientation: `${base} ${forceLimit} ${gains} input`,
  pid: `${base} ${dynamics} ${ctrlLimit} ${forceLimit} ${gains} posrange=real[2] velrange=real[2] ffrange=real[2] inheritrange=real ki=real imax=real
    slewmax=real input`,
  damper: `${base} ${dynamics} ${forceLimit} kv=real`,
  cylinder: `${base} ${dynamics} ${ctrlLimit} ${forceLimit} timeconst=real area=real diameter=real bias=real[3]`,
  muscle: `${base} ${dynamics} ${ctrlLimit} ${forceLimit} timeconst=real[2] range=real[2] force=real scale=real lmin=real lmax=real vmax=real fpmax=real
    fvmax=real`,
  adhesion: `${base} ${forceLimit} gain=real`,
  dcmotor: `${base} ${dynamics} ${ctrlLimit} motorconst=real[1-2] resistance=real nominal=real[1-3] saturation=real[1-3] inductance=real[1-2]
    cogging=real[1-3] controller=real[1-6] thermal=real[1-6] lugre=real[1-5] input`,
}

const named = `name class`
const crank = `${named} lengthrange=real[2] joint jointinparent tendon slidersite cranksite`
const transmission = `${crank} site refsite`

/** Additional attributes of each kind as an object: names and targets. */
const own: Record<keyof typeof defaults, string> = {
  general: `${transmission} body`,
  motor: transmission,
  position: transmission,
  velocity: transmission,
  intvelocity: transmission,
  orientation: `${named} joint site refsite`,
  pid: transmission,
  damper: transmission,
  cylinder: transmission,
  muscle: `${crank} tausmooth=real`,
  adhesion: `${named} body`,
  dcmotor: transmission,
}

const kinds = Object.keys(defaults) as (keyof typeof defaults)[]

/** By kind: what a default class may hold. */
export const ACTUATOR_DEFAULTS: Record<string, Row> = Object.fromEntries(
  kinds.map((kind) => [`${kind}?`, row(defaults[kind], {}, [], [actuatorInput])]),
)

export const ACTUATOR = row('', {
  ...Object.fromEntries(
    kinds.map((kind) => [kind, row(`${own[kind]} ${defaults[kind]}`, {}, [], [transmissionParts, actuatorInput])]),
  ),
  plugin: row(
    `${crank} site plugin instance ${base} ${dynamics} ${ctrlLimit} ${forceLimit} ${actLimit} actdim=int dyntype=<dynamics> dynprm=real[1-10] actearly=bool`,
    { config: row(`key! value!`) },
    [],
    [transmissionParts, differentKeys],
  ),
})
