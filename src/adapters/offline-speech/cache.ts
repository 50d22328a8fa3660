/** Values by key, the one used longest ago dropped first once all are over `maxBytes` together. */
export function boundedCache<T>(maxBytes: number, sizeOf: (value: T) => number) {
  const values = new Map<string, T>();
  let bytes = 0;
  return {
    get(key: string): T | undefined {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key: string, value: T): void {
      const old = values.get(key);
      if (old !== undefined) bytes -= sizeOf(old);
      values.delete(key);
      values.set(key, value);
      bytes += sizeOf(value);
      for (const [oldest, dropped] of values) {
        if (bytes <= maxBytes) break;
        values.delete(oldest);
        bytes -= sizeOf(dropped);
      }
    },
  };
}
