/** Stands in for a process that cannot start. */
process.stderr.write('The key is missing.\n')
process.exit(1)
