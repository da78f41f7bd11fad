import { slowFiles } from './test/run/own-process.ts'

/** Slow files first, in their order, then what loads many at once, then the others. */
const place = (file) => {
  const index = slowFiles.findIndex((name) => file.endsWith(`/${name}`))
  if (index >= 0) return index
  return file.includes('/test/together/') ? slowFiles.length : slowFiles.length + 1
}

export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', 'test/together/*.ts'],
  require: ['./test/run/every-process.ts'],
  sortTestFiles: (one, other) => place(one) - place(other) || one.localeCompare(other),
  timeout: '5m',
  workerThreads: false,
}
