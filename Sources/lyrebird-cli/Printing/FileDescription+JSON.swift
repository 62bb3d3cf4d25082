internal import Lyrebird

extension FileDescription {
  /// The description as one object; docs/json.md is its reference, and names never change once they are in it.
  var json: JSONObject {
    var object = JSONObject()
    object.add("file", file)
    object.add("size", size)
    object.add("container", container)
    if let layout { object.add("layout", layout.rawValue) }
    if let major = brands.first {
      object.add("major_brand", major.description)
      object.add("brands", brands.map(\.description))
    }
    object.add("duration", duration.json)
    if let creationTime { object.add("creation_time", Text.date(creationTime)) }
    object.add("tracks", tracks.map(\.json))
    metadata.add(to: &object)
    object.add(
      "chapters",
      chapters.map { chapter in
        var item = JSONObject()
        item.add("start", chapter.start.json)
        item.add("title", chapter.title)
        return item
      })
    return object
  }
}

extension FileDescription.TrackDescription {
  var json: JSONObject {
    var object = JSONObject()
    object.add("id", track.id)
    object.add("kind", track.kind.word)
    if let description = track.descriptions.first {
      object.add("codec", description.codec.description)
      object.add("codec_name", aac?.name ?? description.codecName)
      object.add("codec_string", description.codecString)
    }
    object.add("timescale", track.timescale)
    object.add("duration", track.duration.json)
    object.add("media_duration", track.mediaDuration.json)
    object.add("samples", track.sampleCount)
    object.add("bytes", byteCount)
    if let bitRate { object.add("bit_rate", bitRate) }
    object.add("language", track.language)
    if let name = track.name { object.add("name", name) }
    object.add("enabled", track.isEnabled)
    addFormat(to: &object)
    if let protection = track.descriptions.first?.protection {
      var item = JSONObject()
      item.add("scheme", protection.scheme.description)
      item.add("default_key_id", hexadecimal(protection.defaultKeyID))
      object.add("protection", item)
    }
    object.add("edits", track.edits.map(\.json))
    if let trim, let encoder = trim.encoder {
      object.add("encoder", encoder)
      object.add("priming", trim.pieces.first?.lowerBound ?? 0)
    }
    var references = JSONObject()
    for (type, ids) in track.references.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      references.add(type.description, numbers: ids.map { Int64($0) })
    }
    object.add("references", references)
    return object
  }

  private func addFormat(to object: inout JSONObject) {
    if let audio = track.audioFormat {
      object.add("sample_rate", aac.map { Double($0.outputSampleRate) } ?? audio.sampleRate)
      object.add("channels", aac?.outputChannels ?? audio.channels)
      object.add("bits_per_sample", audio.bitsPerSample)
    } else if let video = track.videoFormat {
      object.add("width", video.width)
      object.add("height", video.height)
      object.add("display_width", track.displaySize.width)
      object.add("display_height", track.displaySize.height)
      if let rotation = track.transform.rotation { object.add("rotation", rotation) }
      object.add("pixel_aspect", numbers: video.pixelAspect.map { Int64($0) })
      if let frameRate { object.add("frame_rate", frameRate) }
      if let colour = video.colour { object.add("colour", colour.json) }
      if let light = video.lightLevel {
        object.add("content_light_level", numbers: [Int64(light.maximumContent), Int64(light.maximumAverage)])
      }
      if let vision = video.dolbyVision {
        object.add("dolby_vision", numbers: [Int64(vision.profile), Int64(vision.level)])
      }
    }
  }
}

extension VideoTrackFormat.Colour {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("primaries", primaries)
    object.add("transfer", transfer)
    object.add("matrix", matrix)
    object.add("full_range", isFullRange)
    return object
  }
}

extension MediaTime {
  /// Exact as ticks, and in seconds for convenience.
  var json: JSONObject {
    var object = JSONObject()
    object.add("value", value)
    object.add("timescale", timescale)
    object.add("seconds", seconds)
    return object
  }
}

extension Edit {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("duration", duration.json)
    if let mediaTime { object.add("media_time", mediaTime.json) } else { object.addNull("media_time") }
    object.add("rate", rate)
    return object
  }
}

extension MovieMetadata {
  /// Adds tags and covers to an object.
  func add(to object: inout JSONObject) {
    object.add("tags", tags.map(\.json))
    object.add(
      "artwork",
      artwork.map { picture in
        var item = JSONObject()
        item.add("format", picture.format)
        item.add("size", picture.data.count)
        return item
      })
  }
}

extension MovieMetadata.Tag {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("identifier", identifier)
    object.add("name", name)
    object.add("value", value)
    return object
  }
}
