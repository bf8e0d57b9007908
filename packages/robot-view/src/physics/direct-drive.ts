/** Whether a joint feels an actuator at the gains that it is written with, its gear aside. Pure. */

/** `transmission` of the facts of an actuator: `jointinparent` differs for ball and free joints alone. */
export const isDirect = (transmission: string) => transmission === 'joint' || transmission === 'jointinparent'
