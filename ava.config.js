/** What shares a process: `test/together/1234/shared-2.ts`. */
const group = /\/test\/together\/\d+\/(\w+)/

/**
 * What takes longest first: what shares a few processes, then what needs no server, and files about time at the end, when
 * there is less beside them.
 */
const place = (file) => ['shared', 'pure', undefined].indexOf(group.exec(file)?.[1])

export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', 'test/together/*/*.ts'],
  require: ['./test/run/every-process.ts'],
  sortTestFiles: (one, other) => (place(one) === place(other) ? one.localeCompare(other) : place(one) - place(other)),
  timeout: '5m',
  workerThreads: false,
}
