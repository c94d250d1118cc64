import { useId } from 'react';

/** The flame of the app's icon. */
export function Flame({ size }: { size: number }) {
  const id = useId();
  return (
    <svg className="flame" width={size} height={size} viewBox="148 76 216 302" aria-hidden="true">
      <defs>
        <linearGradient id={`${id}f`} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#86bcff" />
          <stop offset=".5" stopColor="#4189ff" />
          <stop offset="1" stopColor="#1f5be6" />
        </linearGradient>
        <linearGradient id={`${id}c`} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#fff3d6" />
          <stop offset="1" stopColor="#ffb454" />
        </linearGradient>
      </defs>
      <path
        fill={`url(#${id}f)`}
        d="M262 88C268 152 352 186 352 274C352 328 309 366 256 366C203 366 160 328 160 274C160 205 240 172 262 88Z"
      />
      <path
        fill={`url(#${id}c)`}
        d="M259 226C263 258 300 272 300 308C300 332 280 350 256 350C232 350 212 332 212 308C212 277 248 262 259 226Z"
      />
    </svg>
  );
}
