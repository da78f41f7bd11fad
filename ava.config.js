/** What shares a process: `test/together/1234/api-2.ts` is the second of its name. */
const group = /\/test\/together\/\d+\/\D*(\d*)\.ts$/

/**
 * Of groups, the first of each name before the second of any: so those that mostly wait, those that kill processes, run
 * beside those that mostly work.
 */
const place = (file) => {
  const found = group.exec(file)
  return found ? Number(found[1] || 1) : 0
}

export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', 'test/together/*/*.ts'],
  require: ['./test/run/every-process.ts'],
  sortTestFiles: (one, other) => (place(one) === place(other) ? one.localeCompare(other) : place(one) - place(other)),
  timeout: '5m',
  workerThreads: false,
}
