/* Loaded first into a process: sets its clock ahead by the milliseconds in this module's address. */

const ahead = Number(new URL(import.meta.url).searchParams.get('ms'))
const Real = Date

globalThis.Date = new Proxy(Real, {
  construct: (target, given: [], self) => Reflect.construct(target, given.length > 0 ? given : [now()], self) as object,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
})

function now(): number {
  return Real.now() + ahead
}
