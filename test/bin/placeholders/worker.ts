/** Stands in for bin/worker.ts: says that it polls, ends on SIGTERM. */
const timer = setInterval(() => undefined, 1000)
console.log(JSON.stringify({ level: 30, msg: 'polling' }))
process.once('SIGTERM', () => clearInterval(timer))
