/** Replaces the program `worker`: says that it polls, ends on SIGTERM. */
const timer = setInterval(() => undefined, 1000)
process.stdout.write(`${JSON.stringify({ level: 'info', msg: 'polling' })}\n`)
process.once('SIGTERM', () => clearInterval(timer))
