/** Settings of a whole model: compiler, option, size, statistic, visual. */
import { above, localCoordinates, notBelowMinusOne, within } from './element-checks.ts'
import { row } from './row.ts'
import { memorySize } from './section-checks.ts'

export const COMPILER = row(
  `autolimits=bool boundmass=real boundinertia=real settotalmass=real balanceinertia=bool strippath=bool
  coordinate=<coordinate> angle=<angle>
  fitaabb=bool eulerseq=chars[3] meshdir texturedir discardvisual=bool usethread=bool fusestatic=bool
  inertiafromgeom=<falseTrueAuto>
  inertiagrouprange=int[2] saveinertial=bool assetdir alignfree=bool conflict=<conflict>`,
  {
    'lengthrange?': row(
      `mode=<lengthRangeMode> useexisting=bool uselimit=bool accel=real maxforce=real timeconst=real timestep=real
      inttotal=real interval=real tolrange=real`,
    ),
  },
  [],
  [localCoordinates],
)

const flags = `constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent
  actuation refsafe sensor midphase
  eulerdamp autoreset nativeccd island multiccd override energy fwdinv invdiscrete sleep diagexact ipc`

export const OPTION = row(
  `timestep=real impratio=real tolerance=real ls_tolerance=real noslip_tolerance=real ccd_tolerance=real
  sleep_tolerance=real gravity=real[3]
  wind=real[3] magnetic=real[3] density=real viscosity=real o_margin=real o_solref=real[1-2] o_solimp=real[1-5]
  o_friction=real[1-5]
  integrator=<integrator> cone=<cone> jacobian=<jacobian> solver=<solver> iterations=int ls_iterations=int
  noslip_iterations=int ccd_iterations=int
  sdf_iterations=int sdf_initpoints=int actuatorgroupdisable=int[1-31]`,
  { 'flag?': row(typed(flags, '<enable>')) },
  [],
  [within('actuatorgroupdisable', 0, 30)],
)

export const SIZE = row(
  `memory njmax=whole nconmax=whole nstack=whole nuserdata=int nkey=int nuser_body=int nuser_jnt=int nuser_geom=int
  nuser_site=int nuser_cam=int
  nuser_tendon=int nuser_actuator=int nuser_sensor=int`,
  {},
  ['exclusive memory nstack', 'exclusive memory njmax'],
  [
    memorySize,
    ...`njmax nconmax nstack nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon nuser_actuator
      nuser_sensor`
      .split(/\s+/)
      .map((name) => notBelowMinusOne(name)),
  ],
)

export const STATISTIC = row(
  `meaninertia=real meanmass=real meansize=real extent=real center=real[3]`,
  {},
  [],
  [above('extent', 0)],
)

const scales = `forcewidth contactwidth contactheight connect com camera light selectpoint jointlength jointwidth
  actuatorlength actuatorwidth
  framelength framewidth constraint slidercrank frustum`

const colors = `fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light selectpoint
  connect contactpoint contactforce
  contactfriction contacttorque contactgap rangefinder constraint slidercrank crankbroken frustum bv bvactive`

export const VISUAL = row('', {
  'global?': row(
    `cameraid=int orthographic=bool fovy=float ipd=float azimuth=float elevation=float linewidth=float glow=float
    offwidth=int offheight=int
    realtime=float ellipsoidinertia=bool bvactive=bool`,
    {},
    [],
    [above('realtime', 0)],
  ),
  'quality?': row(`shadowsize=int offsamples=int numslices=int numstacks=int numquads=int`),
  'headlight?': row(`ambient=float[3] diffuse=float[3] specular=float[3] active=int`),
  'map?': row(
    `stiffness=float stiffnessrot=float force=float torque=float alpha=float fogstart=float fogend=float znear=float
    zfar=float haze=float
    shadowclip=float shadowscale=float actuatortendon=float`,
    {},
    [],
    [above('znear', 0)],
  ),
  'scale?': row(typed(scales, 'float')),
  'rgba?': row(typed(colors, 'float[4]')),
})

/** The same type for each attribute of a list. */
function typed(names: string, type: string): string {
  return names
    .split(/\s+/)
    .map((name) => `${name}=${type}`)
    .join(' ')
}
