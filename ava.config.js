/** Files that load others begin first, because they take longest. */
const place = (file) => (/\/test\/together\//.test(file) ? 0 : 1)

export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', 'test/**/*.slow.ts', 'test/together/*/*.ts'],
  require: ['./test/run/every-process.ts'],
  sortTestFiles: (one, other) => place(one) - place(other) || one.localeCompare(other),
  timeout: '5m',
  workerThreads: false,
}
