/* Loaded into a process before all else: the clock of its machine is ahead, by what the address says in milliseconds. */

const ahead = Number(new URL(import.meta.url).searchParams.get('ms'))
const Real = Date

globalThis.Date = new Proxy(Real, {
  construct: (target, given: [], self) => Reflect.construct(target, given.length > 0 ? given : [now()], self) as object,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
})

function now(): number {
  return Real.now() + ahead
}
