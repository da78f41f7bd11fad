import { useEffect, useEffectEvent, useRef } from 'react'
import { Skeleton } from './Skeleton.tsx'

/** The end of a list that has more, with its skeleton. Calls back once when it comes near; a new `key` begins again. */
export const NearEnd = ({ onNear }: { onNear: () => void }) => {
  const end = useRef<HTMLDivElement>(null)
  const near = useEffectEvent(onNear)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        near()
      },
      { rootMargin: '2000px' },
    )
    if (end.current) observer.observe(end.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={end} style={{ paddingBlock: 'var(--s3)' }}>
      <Skeleton lines={3} />
    </div>
  )
}
