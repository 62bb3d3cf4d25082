import AudioConversion

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Converts raw interleaved floats from a file to another: convert IN FROM TO CHANNELS best|live OUT. What
// Benchmarks/converter measures; nothing else needs it.

let words = CommandLine.arguments
guard words.count == 7, let from = Int(words[2]), let to = Int(words[3]), let channels = Int(words[4]),
  let source = unsafe fopen(words[1], "rb"), let target = unsafe fopen(words[6], "wb")
else {
  print("convert IN FROM TO CHANNELS best|live OUT")
  exit(64)
}
let quality: ConversionQuality = words[5] == "live" ? .live : .best
do {
  var converter = try SampleRateConverter(from: from, to: to, channels: channels, quality: quality)
  var input = [Float](repeating: 0, count: 4096 * channels)
  var output: [Float] = []
  while true {
    let count = unsafe fread(&input, 4, input.count, source)
    if count == 0 { break }
    output.removeAll(keepingCapacity: true)
    try converter.convert(input.span.extracting(0..<count), to: &output)
    unsafe fwrite(output, 4, output.count, target)
  }
  output.removeAll(keepingCapacity: true)
  converter.finish(to: &output)
  unsafe fwrite(output, 4, output.count, target)
  unsafe fclose(target)
} catch {
  print(error)
  exit(65)
}
