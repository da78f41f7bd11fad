/** The limits of a process in MB, which the measured memory is compared with. */
export const limits = { API: 250, worker: 450 }

/** A row of the table; all figures are in MB. */
export const memoryRow = (process: keyof typeof limits, when: string, resident: number, peak: number): string[] => [
  process,
  when,
  resident.toFixed(0),
  peak.toFixed(0),
  String(limits[process]),
  (resident / limits[process]).toFixed(2),
]
